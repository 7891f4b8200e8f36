import type { CompiledScopes, ScopeNeed } from '../auth/scopes.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { toolName } from './define-tool.ts'
import type { Tool } from './tool.ts'
import type { ToolSource } from './tool-source.ts'

/** A source, and what the configuration says about the scopes of its tools. */
export interface ConfiguredSource {
  readonly source: ToolSource
  /** For a tool, or `*` for all, the scopes in place of those the tool declares. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>
}

/** A tool with all that can be worked out before the first call. */
export interface PreparedTool {
  readonly name: string
  readonly tool: Tool
  readonly needs: ScopeNeed
  /** What a challenge asks for, all at once. */
  readonly challenge: readonly string[]
  /** Its entry in `tools/list`, as JSON. */
  readonly modernListing: string
  readonly legacyListing: string
}

/** All tools of all sources, sorted by name; built once, and again when a source changes. */
export interface ToolSet {
  readonly find: (name: string) => PreparedTool | undefined
  readonly all: () => readonly PreparedTool[]
  /** Every scope that some tool asks for. */
  readonly scopes: () => readonly string[]
  readonly requiresDpop: () => boolean
}

export interface ToolSetOptions {
  readonly sources: readonly ConfiguredSource[]
  readonly scopes: CompiledScopes
  readonly log: Log
}

export function createToolSet(options: ToolSetOptions): ToolSet {
  let table = buildTable(options)
  for (const { source } of options.sources)
    source.onChange(() => {
      table = buildTable(options)
    })
  return {
    find: (name) => table.byName.get(name),
    all: () => table.sorted,
    scopes: () => table.scopes,
    requiresDpop: () => table.requiresDpop,
  }
}

interface Table {
  readonly byName: ReadonlyMap<string, PreparedTool>
  readonly sorted: readonly PreparedTool[]
  readonly scopes: readonly string[]
  readonly requiresDpop: boolean
}

function buildTable({ sources, scopes, log }: ToolSetOptions): Table {
  const byName = new Map<string, PreparedTool>()
  for (const configured of sources) {
    const { name: source } = configured.source
    const tools = configured.source.tools()
    for (const tool of tools) {
      const why = complaint(tool, byName)
      if (why === undefined) byName.set(tool.name, prepare(tool, configured, scopes))
      else log.warn({ source, tool: tool.name }, `a tool is left out: ${why}`)
    }
    for (const key of strayKeys(configured, tools))
      log.warn(
        { source, tool: key },
        'the configuration gives scopes to a tool that this source does not have',
      )
  }
  const sorted = [...byName.values()].sort((left, right) => compare(left.name, right.name))
  return {
    byName,
    sorted,
    scopes: [...new Set(sorted.flatMap(({ challenge }) => challenge))].sort(compare),
    requiresDpop: sorted.some(({ tool }) => tool.requiresDpop),
  }
}

function complaint(tool: Tool, taken: ReadonlyMap<string, PreparedTool>): string | undefined {
  if (taken.has(tool.name)) return 'another source has one of the same name'
  if (!toolName.test(tool.name)) return 'its name must be 1 to 128 letters, digits, _, . and -'
  return tool.listing.name === tool.name ? undefined : 'its listing has another name'
}

function prepare(tool: Tool, configured: ConfiguredSource, scopes: CompiledScopes): PreparedTool {
  const needs = overriddenNeeds(tool, configured) ?? tool.needs
  return {
    name: tool.name,
    tool,
    needs,
    challenge: scopes.challengeScopes(needs),
    modernListing: listingText(tool.listing),
    legacyListing: listingText(legacyListing(tool.listing)),
  }
}

/** A tool of a named source may be called by its own name, without the prefix that the source gives it. */
function overriddenNeeds(tool: Tool, { source, scopes }: ConfiguredSource): ScopeNeed | undefined {
  const given = new Map(Object.entries(scopes ?? {}))
  const allOf = given.get(tool.name) ?? given.get(unprefixed(tool.name, source.name)) ?? given.get('*')
  return allOf === undefined ? undefined : { allOf, anyOf: [] }
}

/** A misspelt name would leave a tool with less protection than its owner believes. */
function strayKeys({ source, scopes }: ConfiguredSource, tools: readonly Tool[]): readonly string[] {
  // A source without tools is one that cannot be reached just now.
  if (tools.length === 0) return []
  const known = new Set(tools.flatMap(({ name }) => [name, unprefixed(name, source.name)]))
  return Object.keys(scopes ?? {}).filter((key) => key !== '*' && !known.has(key))
}

function unprefixed(tool: string, source: string): string {
  return tool.startsWith(`${source}_`) ? tool.slice(source.length + 1) : tool
}

function listingText(listing: Tool['listing']): string {
  const text: string | undefined = JSON.stringify(listing)
  if (text === undefined) throw new Failure('internal', 'a tool has a listing that is not JSON')
  return text
}

/** Until 2025-11-25 the root of an output schema is an object. */
function legacyListing(listing: Tool['listing']): Tool['listing'] {
  const { outputSchema, ...rest } = listing
  const isObject = Reflect.get(Object(outputSchema), 'type') === 'object'
  return isObject ? listing : rest
}

/** By code units: the same on every machine. */
function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
