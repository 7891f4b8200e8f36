import type { FastifyInstance } from 'fastify'
import { takeJson } from '../http/take-json.ts'
import { valuesRefusal } from './json-values.ts'

/**
 * Fastify's parser behind two rules: a body of too many values is refused before it is parsed, and an empty one is none,
 * which clients call JSON where there is nothing to say: the Python SDK does so on DELETE.
 */
export function takeJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  takeJson(scope, (request, text, done) => {
    const refused = valuesRefusal(text)
    if (text === '' || refused !== undefined) done(refused ?? null)
    else void parse(request, text, done)
  })
}
