import type { Config } from '../config/config-schema.ts'
import type { Log } from '../log/log.ts'
import type { ConfiguredSource } from '../mcp/tool-set.ts'

/** A slip of the pen would leave the tool that was meant without its limit; a tool of another server may still come. */
export function warnOfStrayLimits(
  { tools }: Config['limits'],
  sources: readonly ConfiguredSource[],
  log: Log,
): void {
  const names = new Set(sources.flatMap(({ source }) => source.tools().map(({ name }) => name)))
  const stray = Object.keys(tools).filter((name) => !names.has(name))
  if (stray.length > 0)
    log.warn({ tools: stray }, 'limits.tools names what is no tool at the moment, so it limits nothing')
}
