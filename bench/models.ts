import { freePort } from '../src/cli/free-port.ts'
import type { Finding } from './findings.ts'
import { benchStreams } from './models-streams.ts'
import { benchThroughput } from './models-throughput.ts'
import { isPinned, startPinned } from './tools-process.ts'

/** A model call through the gateway to a mock upstream, against the upstream itself, a minimal proxy and a peer. */
export async function benchModels(say: (progress: string) => void): Promise<readonly Finding[]> {
  if (!isPinned) say('without taskset and a second core, server, upstream and load share what there is')
  const port = await freePort('127.0.0.1')
  const server = await startPinned('models-upstream-server.ts', { core: 1, settings: { port } })
  const load = await startPinned('tools-load.ts', { core: 1 })
  const streamLoad = await startPinned('models-stream-load.ts', { core: 1 })
  try {
    const bench = { upstream: `http://127.0.0.1:${port}`, load, streamLoad, say }
    return [...(await benchThroughput(bench)), ...(await benchStreams(bench))]
  } finally {
    for (const child of [load, streamLoad, server]) await child.stop()
  }
}
