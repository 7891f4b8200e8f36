import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Node answers `Expect` before anyone has looked at the request; here the guards come first, then `100 Continue`. */
export function answerExpectations(server: FastifyInstance): void {
  const pass = (request: IncomingMessage, response: ServerResponse): void =>
    void server.server.emit('request', request, response)
  server.server.on('checkContinue', pass)
  server.server.on('checkExpectation', pass)
  server.addHook('preParsing', (request, reply, ...[, done]) => {
    continueIfAsked(request, reply)
    done()
  })
}

/** For a route that reads its body before that hook: whoever sent `Expect` may be waiting to be asked for the body. */
export function continueIfAsked(request: FastifyRequest, reply: FastifyReply): void {
  if (request.raw.headers.expect !== undefined && mayContinue(request)) reply.raw.writeContinue()
}

/** HTTP/1.0 knows no such answer, and a body over the limit had better stay where it is. */
function mayContinue({ raw, routeOptions }: FastifyRequest): boolean {
  const { expect = '', 'content-length': length } = raw.headers
  return (
    expect.toLowerCase() === '100-continue' &&
    raw.httpVersion === '1.1' &&
    !(Number(length) > Number(routeOptions.bodyLimit))
  )
}
