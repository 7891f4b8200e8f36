import type { FastifyInstance } from 'fastify'
import { valuesRefusal } from './json-values.ts'

/**
 * Fastify's parser behind two rules: a body of too many values is refused before it is parsed, and an empty one is none,
 * which clients call JSON where there is nothing to say: the Python SDK does so on DELETE.
 */
export function takeJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    const refused = valuesRefusal(body)
    if (body === '' || refused !== undefined) done(refused ?? null)
    else void parse(request, body, done)
  })
}
