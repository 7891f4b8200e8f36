import type { CompiledScopes, ScopeNeed } from '../auth/scopes.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { type ConfiguredScopes, configuredScopes, strayNames } from './configured-scopes.ts'
import { toolName } from './define-tool.ts'
import { legacyListing } from './legacy-listing.ts'
import type { Tool } from './tool.ts'
import type { ToolSource } from './tool-source.ts'

/** A source, and what the configuration says about the scopes of its tools. */
export interface ConfiguredSource {
  readonly source: ToolSource
  /** For a tool, or `*` for all, the scopes in place of those the tool declares; an empty list takes any valid token. */
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
  for (const configured of ownFirst(sources)) {
    const { name: source } = configured.source
    const tools = configured.source.tools()
    const open: string[] = []
    for (const tool of tools) {
      const needs = needsOf(tool, configured)
      const why = complaint(tool, byName)
      if (why !== undefined) log.warn({ source, tool: tool.name }, `a tool is left out: ${why}`)
      else if (needs === undefined) open.push(tool.name)
      else byName.set(tool.name, prepare(tool, needs, scopes))
    }
    warnOfOpen(open, source, log)
    // A source without tools is one that cannot be reached just now.
    const stray = tools.length === 0 ? [] : strayNames(scopesOf(configured), tools)
    for (const key of stray)
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

/** Of two tools with one name a remote server's never wins, in whatever order the sources stand: it could take over ours. */
function ownFirst(sources: readonly ConfiguredSource[]): readonly ConfiguredSource[] {
  const isRemote = ({ source }: ConfiguredSource): boolean => source.isRemote === true
  return [...sources.filter((one) => !isRemote(one)), ...sources.filter(isRemote)]
}

/** One line for all of them: a server may have thousands. */
function warnOfOpen(tools: readonly string[], source: string, log: Log): void {
  if (tools.length === 0) return
  log.warn(
    { source, tools: tools.slice(0, mostShown), count: tools.length },
    'tools are left out: nobody says which scopes they need; name them, or "*", in the scopes of their source, where [] takes any valid token',
  )
}

const mostShown = 20

function complaint(tool: Tool, taken: ReadonlyMap<string, PreparedTool>): string | undefined {
  if (taken.has(tool.name)) return 'another source has one of the same name'
  if (!toolName.test(tool.name)) return 'its name must be 1 to 128 letters, digits, _, . and -'
  return tool.listing.name === tool.name ? undefined : 'its listing has another name'
}

function prepare(tool: Tool, needs: ScopeNeed, scopes: CompiledScopes): PreparedTool {
  return {
    name: tool.name,
    tool,
    needs,
    challenge: scopes.challengeScopes(needs),
    modernListing: listingText(tool.listing),
    legacyListing: listingText(legacyListing(tool.listing)),
  }
}

function needsOf(tool: Tool, configured: ConfiguredSource): ScopeNeed | undefined {
  const allOf = configuredScopes(scopesOf(configured), tool.name)
  if (allOf !== undefined) return { allOf, anyOf: [] }
  return configured.source.isRemote === true && isEmpty(tool.needs) ? undefined : tool.needs
}

function scopesOf({ source, scopes = {} }: ConfiguredSource): ConfiguredScopes {
  return { source: source.name, scopes }
}

function isEmpty({ allOf, anyOf }: ScopeNeed): boolean {
  return allOf.length === 0 && anyOf.length === 0
}

function listingText(listing: Tool['listing']): string {
  const text: string | undefined = JSON.stringify(listing)
  if (text === undefined) throw new Failure('internal', 'a tool has a listing that is not JSON')
  return text
}

/** By code units: the same on every machine. */
function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
