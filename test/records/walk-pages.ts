import assert from 'node:assert/strict'
import type { LightMyRequestResponse } from 'fastify'
import { octokitTarget, targetOf } from '../paging/link-header.ts'
import type { AdminServer, Call } from './admin-server.ts'

export type Item = Readonly<Record<string, unknown>>

export interface CursorPage {
  readonly items: readonly Item[]
  readonly next: string | null
  /** The query of `rel="prev"`, where there is one. */
  readonly prev: string | undefined
}

export interface OffsetPage {
  readonly items: readonly Item[]
  readonly total: number
  readonly offset: number
  readonly limit: number
  readonly links: Readonly<Partial<Record<Relation, string>>>
}

type Relation = (typeof relations)[number]
const relations = ['first', 'prev', 'next', 'last'] as const

export interface List {
  readonly admin: AdminServer
  /** Below `/api/v1`. */
  readonly path: string
  readonly call?: Call
}

/** One page, of which header and body have been found to say the same. */
export async function cursorPage({ admin, path, call }: List, query: string): Promise<CursorPage> {
  const response = await admin.call(path + query, call)
  assert.equal(response.statusCode, 200, response.body)
  const { items, next_cursor: next, has_more: more } = response.json()
  const links = linksOf(admin, path, response)
  const asked = new URLSearchParams(query)
  asked.delete('cursor')
  assert.equal(links.first ?? '', question(asked))
  assert.equal(links.last, undefined)
  assert.equal(more, next !== null)
  assert.equal(links.next, next === null ? undefined : question(asked, ['cursor', next]))
  return { items, next, prev: links.prev }
}

/** All pages from the first to the last, each as large as the next of these says. */
export async function walkCursor(list: List, limits: readonly number[], filter = ''): Promise<CursorPage[]> {
  const pages: CursorPage[] = []
  for (let next: string | null | undefined; next !== null; ) {
    const query = new URLSearchParams(filter)
    query.set('limit', String(limits[pages.length % limits.length]))
    if (next !== undefined) query.set('cursor', next)
    const page = await cursorPage(list, `?${query.toString()}`)
    pages.push(page)
    next = page.next
    await aMoment()
  }
  return pages
}

/** On SQLite nothing else waits: without this nobody would write in between. */
export async function aMoment(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate)
}

/** Somebody who writes while others read. */
export interface Writing {
  /** So far; who reads goes on until these are enough. */
  readonly changes: () => number
  /** Throws what a change has thrown. */
  readonly stop: () => Promise<void>
}

export function keepWriting(change: (turn: number) => Promise<void>): Writing {
  let changes = 0
  let isOver = false
  const ended = (async () => {
    for (; !isOver; changes += 1) {
      await change(changes)
      await new Promise(setImmediate)
    }
  })()
  ended.catch(() => {
    changes = Number.POSITIVE_INFINITY
  })
  return {
    changes: () => changes,
    stop: async () => {
      isOver = true
      await ended
    },
  }
}

/** The same in offset style. */
export async function offsetPage({ admin, path, call }: List, query: string): Promise<OffsetPage> {
  const response = await admin.call(path + query, call)
  assert.equal(response.statusCode, 200, response.body)
  const { items, total, offset, limit } = response.json()
  const links = linksOf(admin, path, response)
  const asked = new URLSearchParams(query)
  asked.delete('offset')
  const at = (start: number): string => question(asked, ['offset', String(start)])
  const last = Math.floor(Math.max(0, total - 1) / limit) * limit
  assert.equal(response.headers['x-total-count'], String(total))
  assert.equal(links.first, at(0))
  assert.equal(links.last, at(last))
  assert.equal(links.next, offset + items.length < total && items.length > 0 ? at(offset + limit) : undefined)
  assert.equal(links.prev, offset === 0 ? undefined : at(Math.max(0, Math.min(offset - limit, last))))
  return { items, total, offset, limit, links }
}

/** What each link asks for, by a reader of RFC 8288 and by the one of a common client; all of them lead to this list. */
function linksOf(
  { publicUrl }: AdminServer,
  path: string,
  response: LightMyRequestResponse,
): Partial<Record<Relation, string>> {
  const field = String(response.headers.link)
  const found: Partial<Record<Relation, string>> = {}
  for (const relation of relations) {
    const target = targetOf(field, relation)
    assert.equal(octokitTarget(field, relation), target)
    if (target === undefined) continue
    const url = new URL(target)
    assert.equal(url.origin + url.pathname, `${publicUrl}/api/v1${path}`)
    found[relation] = question(url.searchParams)
  }
  return found
}

function question(parameters: URLSearchParams, more?: readonly [string, string]): string {
  const all = new URLSearchParams(parameters)
  if (more !== undefined) all.append(...more)
  const text = all.toString()
  return text === '' ? '' : `?${text}`
}

export function idsOf(pages: readonly { readonly items: readonly Item[] }[]): string[] {
  return pages.flatMap(({ items }) => items.map(({ id }) => String(id)))
}
