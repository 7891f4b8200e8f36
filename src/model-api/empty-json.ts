import type { FastifyInstance } from 'fastify'

/** Clients call an empty body JSON where there is nothing to say: the Python SDK does so on DELETE. */
export function takeEmptyJson(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null)
    else void parse(request, body, done)
  })
}
