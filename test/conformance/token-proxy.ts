import { once } from 'node:events'
import { createServer, request } from 'node:http'

/** Adds a token to every request and leaves the rest alone, Host and Origin included: the suite has no token to give. */
export async function startTokenProxy(target: {
  readonly port: number
  readonly token: string
}): Promise<{ readonly url: string; readonly stop: () => void }> {
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${target.token}` }
    const { url: path = '/', method = 'GET' } = asked
    const passed = request({ host: '127.0.0.1', port: target.port, path, method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(answer)
    })
    passed.on('error', () => answer.writableEnded || answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const address = proxy.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    // By this name the suite knows a local server, whose guard against DNS rebinding it tries.
    url: `http://localhost:${port}/mcp`,
    stop: () => {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}
