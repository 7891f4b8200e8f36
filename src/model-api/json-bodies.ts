import type { FastifyInstance } from 'fastify'
import { valuesRefusal } from './json-values.ts'

/** Clients call an empty body JSON where there is nothing to say: the Python SDK does so on DELETE. */
export function takeJsonBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    const refused = valuesRefusal(body)
    if (body === '' || refused !== undefined) done(refused ?? null)
    else void parse(request, body, done)
  })
}
