import { listen } from '../../src/http/listen.ts'
import { open, type PlainServer, plainServer } from './plain-server.ts'
import { portOf } from './raw-connection.ts'

const anyHost = { config: { access: { open: 'a test' }, anyHost: true } } as const

type Options = Parameters<typeof plainServer>[0]

/** A plain server with a few routes that listens while it is used. */
export async function withServer(
  options: Options,
  use: (port: number, parts: PlainServer) => Promise<void>,
): Promise<void> {
  const parts = plainServer(options)
  parts.server.get('/', open, () => 'hello')
  parts.server.get('/probe', anyHost, () => 'hello')
  parts.server.post('/echo', open, (request) => request.body)
  await listen(parts.server, { host: '127.0.0.1', port: 0 })
  try {
    await use(portOf(parts.server.server), parts)
  } finally {
    await parts.server.close()
  }
}
