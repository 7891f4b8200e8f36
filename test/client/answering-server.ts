import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface AnsweringServer {
  readonly url: string
  /** Path and query of every request so far. */
  readonly requests: readonly string[]
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => unknown

/** A real server on a free port: what `answer` returns is sent as JSON, `undefined` means that it wrote the answer itself. */
export async function startAnsweringServer(answer: Answer): Promise<AnsweringServer> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const body = answer(request, response, new URL(request.url ?? '', 'http://server'))
    if (body !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port to be had')
  return {
    url: `http://127.0.0.1:${address.port}/list`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
