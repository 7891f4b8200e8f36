import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { portOf } from './raw-connection.ts'

export interface ForwardingProxy extends AsyncDisposable {
  readonly port: number
}

export interface Forwarding {
  readonly to: number
  /** The address that the proxy calls from. */
  readonly localAddress: string
  /** The lines that it adds behind those of the caller, by turns name and value. */
  readonly adds: (asked: IncomingMessage) => readonly string[]
}

/** A plain HTTP/1.1 proxy: it passes every line on as it came, in its order, and adds some. */
export async function startForwardingProxy({ to, localAddress, adds }: Forwarding): Promise<ForwardingProxy> {
  const proxy = createServer((asked, answer) => {
    const headers = [...asked.rawHeaders, ...adds(asked)]
    const { url: path = '/', method = 'GET' } = asked
    const passed = request(
      { host: '127.0.0.1', port: to, localAddress, path, method, headers, agent: false },
      (given) => {
        answer.writeHead(given.statusCode ?? 502, given.rawHeaders)
        given.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    port: portOf(proxy),
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}
