import type { FastifyInstance } from 'fastify'
import { takeJson } from '../http/take-json.ts'
import { needsBody } from './operation.ts'

/** An empty body is none where none is needed: many clients call every request JSON, those without a body as well. */
export function takeJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  takeJson(scope, (request, text, done) => {
    const { adminExchange } = request
    if (text === '' && adminExchange !== null && !needsBody(adminExchange.operation)) done(null)
    else void parse(request, text, done)
  })
}
