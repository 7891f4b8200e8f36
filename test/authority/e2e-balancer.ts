import { once } from 'node:events'
import { createServer, request as send } from 'node:http'

/** A balancer without memory in front of several instances: each request goes to the next one. */
export interface Balancer extends AsyncDisposable {
  readonly url: string
  /** Which instance, counted from 0, answered the requests for paths that begin like this, in their order. */
  readonly answeredBy: (path: string) => readonly number[]
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const answers: { readonly path: string; readonly instance: number }[] = []
  const server = createServer((incoming, outgoing) => {
    const { url: path = '/', method, headers } = incoming
    const instance = answers.length % ports.length
    answers.push({ path, instance })
    const passed = send({ host: '127.0.0.1', port: ports[instance], path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(passed)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    answeredBy: (path) =>
      answers.filter((answer) => answer.path.startsWith(path)).map((answer) => answer.instance),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
