import {
  type Client,
  isSpecType,
  type StandardSchemaV1,
  type Tool as UpstreamTool,
} from '@modelcontextprotocol/client'
import { Failure } from '../failure/failure.ts'
import { isWithinDepth, member, textMember } from './source-json.ts'

export interface UpstreamList {
  readonly tools: readonly UpstreamTool[]
  /** What was listed and cannot be passed on, in words for the log. */
  readonly left: readonly string[]
}

/** Reads every page of a tool list. A walk that does not end is refused as a whole: half a list would look like a whole one. */
export async function readToolList(client: Client, signal: AbortSignal): Promise<UpstreamList> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], left: [] }
  const tools: UpstreamTool[] = []
  const left: string[] = []
  const seen = new Set<string>()
  let characters = 0
  let cursor: string | undefined
  do {
    const params = cursor === undefined ? {} : { cursor }
    const page = await client.request({ method: 'tools/list', params }, anything, {
      signal,
      timeout: pageTimeoutMs,
    })
    characters += JSON.stringify(page)?.length ?? 0
    if (characters > maxListCharacters) throw unusable(`is longer than ${maxListCharacters} characters`)
    for (const item of toolsOf(page)) {
      const complaint = complaintOf(item)
      if (complaint !== undefined) left.push(complaint)
      else if (isSpecType.Tool(item)) tools.push(item)
    }
    cursor = textMember(page, 'nextCursor')
    // Servers of the older era end their lists so; in the newer one it is a cursor like any other.
    if (cursor === '' && client.getProtocolEra() !== 'modern') cursor = undefined
    if (cursor !== undefined && seen.has(cursor)) throw unusable('repeats a cursor')
    if (cursor !== undefined) seen.add(cursor)
    if (seen.size >= maxPages) throw unusable(`has more than ${maxPages} pages`)
    if (tools.length + left.length > maxTools) throw unusable(`has more than ${maxTools} tools`)
  } while (cursor !== undefined)
  return { tools, left }
}

const pageTimeoutMs = 15_000
const maxPages = 1000
const maxTools = 10_000
const maxToolCharacters = 131_072
const maxListCharacters = 16_777_216
const maxDepth = 32

/** The SDK would refuse a whole page for one malformed tool, so the page passes and the tools are judged one by one. */
const anything: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'postern', validate: (value) => ({ value }) },
}

/** Some servers write an empty list as null. What is no list at all says nothing about the tools. */
function toolsOf(page: unknown): readonly unknown[] {
  const tools = member(page, 'tools')
  if (tools === null) return []
  if (!Array.isArray(tools)) throw unusable('is not a list')
  return tools
}

function unusable(what: string): Failure {
  return new Failure('unavailable', `the tool list of an upstream ${what}`)
}

function complaintOf(item: unknown): string | undefined {
  const name = JSON.stringify(textMember(item, 'name')?.slice(0, 128) ?? 'a tool without a name')
  if (!isWithinDepth(item, maxDepth)) return `${name} is nested too deeply`
  if (JSON.stringify(item).length > maxToolCharacters)
    return `${name} is larger than ${maxToolCharacters} characters`
  if (!isSpecType.Tool(item)) return `${name} is not described as the protocol asks`
  if (hasOuterReference(item.inputSchema) || hasOuterReference(item.outputSchema))
    return `${name} has a schema that refers to another document`
  return member(item.execution, 'taskSupport') === 'required'
    ? `${name} can only be run as a task`
    : undefined
}

/** Whoever reads such a schema might fetch what it points at. */
function hasOuterReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, inner]) =>
      ((key === '$ref' || key === '$dynamicRef') && typeof inner === 'string' && !inner.startsWith('#')) ||
      hasOuterReference(inner),
  )
}
