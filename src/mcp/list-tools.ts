import type { CompiledScopes } from '../auth/scopes.ts'
import { Failure } from '../failure/failure.ts'
import { pageArray } from '../paging/page-array.ts'
import { definePager } from '../paging/pager.ts'
import { createTokenCodec } from '../paging/token-codec.ts'
import type { Exchange } from './exchange.ts'
import type { Members } from './message.ts'
import type { PreparedTool, ToolSet } from './tool-set.ts'

export interface ToolListOptions {
  readonly tools: ToolSet
  readonly scopes: CompiledScopes
  readonly pageSize: number
  /** Only what the token may call. */
  readonly onlyCallable: boolean
  /** Secrets that sign cursors. */
  readonly secrets: readonly string[]
  readonly ttlSeconds: number
}

/** One page of tools, as the members of a result. */
export type ToolList = (params: Members, exchange: Exchange) => string

export function createToolList(options: ToolListOptions): ToolList {
  const { tools, scopes, pageSize } = options
  const pager = definePager<{ readonly name: string }>({
    id: 'tools',
    style: 'page-token',
    names: { limit: null, token: 'cursor', next: 'nextCursor', items: 'tools' },
    limit: { default: pageSize, maximum: pageSize },
    placement: { link: false, totalCount: false },
    tokens: createTokenCodec({ secrets: options.secrets, ttlSeconds: options.ttlSeconds }),
    sorts: { name: [{ column: 'name', type: 'text', direction: 'ascending', unique: true }] },
  })
  return ({ cursor = '' }, { era, principal }) => {
    if (typeof cursor !== 'string')
      throw new Failure('invalid-request', 'cursor must be a string', { reason: 'invalid_cursor' })
    const all = tools.all()
    const shown =
      options.onlyCallable && principal !== undefined
        ? all.filter(({ needs }) => scopes.isSatisfied(principal.scopes, needs))
        : all
    // The usual case, without the work of making a page.
    if (cursor === '' && shown.length <= pageSize) return members(shown, era, null)
    const request = pager.parse({ cursor })
    const page = pager.finish(request, pageArray(pager.plan(request), shown))
    return members(page.items, era, page.next)
  }
}

function members(tools: readonly PreparedTool[], era: Exchange['era'], next: string | null): string {
  const listings = tools.map((tool) => (era === 'modern' ? tool.modernListing : tool.legacyListing))
  const end = next === null ? '' : `,"nextCursor":${JSON.stringify(next)}`
  return `"tools":[${listings.join(',')}]${end}`
}
