import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { strayNames } from './configured-scopes.ts'
import { builtinSource } from './source-builtin.ts'
import { modelToolNames } from './source-builtin-models.ts'
import { moduleSource } from './source-module.ts'
import { openApiSource } from './source-openapi.ts'
import { upstreamSource } from './source-upstream.ts'
import type { TextModels } from './text-models.ts'
import type { ToolSource } from './tool-source.ts'

export interface SourceSurroundings {
  readonly log: Log
  /** Where relative paths of the configuration begin. */
  readonly directory: string
  /** Undefined where none is configured. */
  readonly models: TextModels | undefined
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
  { log, directory, models }: SourceSurroundings,
): Promise<ToolSource> {
  switch (config.kind) {
    case 'mcp':
      requireScopes(config)
      return upstreamSource(config, { log, outputLimitBytes })
    case 'builtin':
      if (models === undefined) refuseModelTools(config)
      return checkScopes(config, builtinSource({ ...config, models }))
    case 'module':
      return checkScopes(config, await moduleSource({ path: config.path, directory }))
    case 'openapi':
      requireScopes(config)
      return checkScopes(config, await openApiSource(config, { log, directory, outputLimitBytes }))
  }
}

/** What a remote source offers declares no scopes: silence must not open all of it to every token. */
function requireScopes({ name, scopes }: Extract<SourceConfig, { readonly name: string }>): void {
  if (Object.keys(scopes).length > 0) return
  throw new Failure(
    'misconfigured',
    `tool source ${name}: scopes must say what a call needs, such as { "*": ["${name}:use"] }; { "*": [] } takes any valid token`,
    { field: 'tools.sources' },
  )
}

/** Whoever gave them scopes believes that they are served. */
function refuseModelTools({ scopes }: SourceConfig): void {
  const named = modelToolNames.filter((name) => Object.hasOwn(scopes, name))
  if (named.length === 0) return
  throw new Failure(
    'misconfigured',
    `tool source builtin: scopes names ${named.join(', ')}, which needs a model; name one under models, or leave it out here`,
    { field: 'tools.sources' },
  )
}

/** A slip of the pen in a tool's name would leave the tool that was meant open, so it is refused where the tools are known. */
async function checkScopes({ scopes }: SourceConfig, source: ToolSource): Promise<ToolSource> {
  const stray = strayNames({ source: source.name, scopes }, source.tools())
  if (stray.length === 0) return source
  await source.close()
  throw new Failure(
    'misconfigured',
    `tool source ${source.name}: scopes names ${stray.join(', ')}, which is no tool of this source`,
    { field: 'tools.sources' },
  )
}
