import type { IncomingMessage } from 'node:http'
import type { FastifyBodyParser, FastifyInstance } from 'fastify'
import { Failure } from '../failure/failure.ts'
import { readBodyBytes } from './read-body.ts'

/** Reads JSON bodies in the place of Fastify, which holds them in the pieces they come in, however small. */
export function takeJson(scope: FastifyInstance, parse: FastifyBodyParser<string>): void {
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', (request, _payload, done) => {
    const { raw, routeOptions } = request
    readBodyBytes(raw, { limit: routeOptions.bodyLimit ?? 0 }, (failure, bytes) => {
      const refused = failure ?? lengthRefusal(raw, bytes.length)
      if (refused === undefined) void parse(request, bytes.toString('utf8'), done)
      else done(refused)
    })
  })
}

function lengthRefusal({ headers }: IncomingMessage, length: number): Failure | undefined {
  if (Number(headers['content-length'] ?? length) === length) return undefined
  return new Failure('invalid-request', 'the body is not as long as content-length says')
}
