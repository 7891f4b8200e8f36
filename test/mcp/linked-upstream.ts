import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { createLog } from '../../src/log/log.ts'
import {
  type UpstreamOptions,
  type UpstreamSurroundings,
  upstreamSource,
} from '../../src/mcp/source-upstream.ts'
import type { ToolSource } from '../../src/mcp/tool-source.ts'
import {
  startUpstream,
  type UpstreamBehaviour,
  type UpstreamServer,
  type UpstreamServerOptions,
} from './upstream-server.ts'

export interface Linked {
  readonly upstream: UpstreamServer
  readonly source: ToolSource
  /** Resolves when the source has announced a change for which the claim holds. */
  readonly changed: (claim: (names: readonly string[]) => boolean) => Promise<void>
  readonly lines: string[]
}

interface LinkOptions extends UpstreamServerOptions {
  readonly behaviour?: Partial<UpstreamBehaviour>
  readonly source?: Partial<UpstreamOptions>
  readonly surroundings?: Partial<UpstreamSurroundings>
}

/** A real upstream, and the source that reads it. */
export async function link(t: TestContext, options: LinkOptions = {}): Promise<Linked> {
  const upstream = await startUpstream(options.behaviour, options)
  const lines: string[] = []
  const source = await upstreamSource(
    { name: 'docs', url: upstream.url, allowPrivate: true, refreshMinutes: 5, ...options.source },
    {
      log: createLog({ destination: { write: (line) => lines.push(line) } }),
      outputLimitBytes: 1_048_576,
      retryMs: 20,
      ...options.surroundings,
    },
  )
  t.after(async () => {
    await source.close()
    await upstream.stop()
  })
  const changes = new EventTarget()
  source.onChange(() => changes.dispatchEvent(new Event('change')))
  const changed: Linked['changed'] = async (claim) => {
    while (!claim(namesOf(source))) await once(changes, 'change', { signal: AbortSignal.timeout(10_000) })
  }
  return { upstream, source, changed, lines }
}

export function namesOf(source: ToolSource): readonly string[] {
  return source.tools().map(({ name }) => name)
}
