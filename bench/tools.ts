import type { Finding } from './findings.ts'
import { startIssuer } from './tools-issuer.ts'
import { benchMemory } from './tools-memory.ts'
import { isPinned, startPinned } from './tools-process.ts'
import { benchThroughput } from './tools-throughput.ts'

/** An authorized `tools/call` against a bare server and against the official SDK, each in a process of its own. */
export async function benchTools(say: (progress: string) => void): Promise<readonly Finding[]> {
  if (!isPinned) say('without taskset and a second core, server and load share what there is')
  const issuer = await startIssuer()
  const load = await startPinned('tools-load.ts', { core: 1 })
  try {
    const bench = { issuer, load, say }
    return [...(await benchThroughput(bench)), ...(await benchMemory(bench))]
  } finally {
    await load.stop()
    issuer.stop()
  }
}
