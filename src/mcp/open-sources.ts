import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { builtinSource } from './source-builtin.ts'
import { moduleSource } from './source-module.ts'
import { openApiSource } from './source-openapi.ts'
import { upstreamSource } from './source-upstream.ts'
import type { ToolSource } from './tool-source.ts'

export interface SourceSurroundings {
  readonly log: Log
  /** Where relative paths of the configuration begin. */
  readonly directory: string
}

/** Opens every source of the configuration; one that is misconfigured is a Failure, one that is only down is not. */
export async function openSources(
  tools: Config['tools'],
  surroundings: SourceSurroundings,
): Promise<readonly ToolSource[]> {
  const opening = tools.sources.map((source) => openSource(source, tools, surroundings))
  const settled = await Promise.allSettled(opening)
  const failed = settled.find((result) => result.status === 'rejected')
  const opened = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (failed === undefined) return opened
  await Promise.all(opened.map((source) => source.close()))
  throw failed.reason
}

type SourceConfig = Config['tools']['sources'][number]

async function openSource(
  config: SourceConfig,
  { outputLimitBytes }: Config['tools'],
  { log, directory }: SourceSurroundings,
): Promise<ToolSource> {
  switch (config.kind) {
    case 'mcp':
      return upstreamSource(config, { log, outputLimitBytes })
    case 'builtin':
      return checkScopes(config, builtinSource())
    case 'module':
      return checkScopes(config, await moduleSource({ path: config.path, directory }))
    case 'openapi':
      return checkScopes(config, await openApiSource(config, { log, directory, outputLimitBytes }))
  }
}

/** A slip of the pen in a tool's name would leave the tool that was meant open, so it is refused where the tools are known. */
async function checkScopes({ scopes }: SourceConfig, source: ToolSource): Promise<ToolSource> {
  const names = new Set(source.tools().flatMap(({ name }) => [name, name.replace(`${source.name}_`, '')]))
  const stray = Object.keys(scopes).filter((key) => key !== '*' && !names.has(key))
  if (stray.length === 0) return source
  await source.close()
  throw new Failure(
    'misconfigured',
    `tool source ${source.name}: scopes names ${stray.join(', ')}, which is no tool of this source`,
    { field: 'tools.sources' },
  )
}
