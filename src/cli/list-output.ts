import type { SourcePage } from '../client/page-source.ts'
import type { Walk } from '../client/walk.ts'
import { Failure } from '../failure/failure.ts'
import { type Call, type CommandOption, hasFlag, textOption } from './command.ts'
import { createProgress, type Progress } from './list-output-progress.ts'
import { growingTable } from './table.ts'
import { jsonText } from './terminal-text.ts'

/** How the items of a list are shown. */
export interface Listing<Item> {
  /** What they are, such as `sessions`. */
  readonly noun: string
  readonly headings: readonly string[]
  readonly row: (item: Item) => readonly string[]
  /** What is said when there is none. */
  readonly none: string
  /** How many there will be, as far as the first one tells; for lists that do not say it themselves. */
  readonly expected?: (first: Item) => number | undefined
}

export const listOptions: Readonly<Record<'all' | 'limit' | 'json', CommandOption>> = {
  all: { type: 'boolean', description: 'List all of them, not only the first page.' },
  limit: {
    type: 'string',
    placeholder: 'NUMBER',
    description: 'How many are on a page: 1 to 100 (default as many as the screen shows, or 20).',
  },
  json: { type: 'boolean', description: 'Print each as JSON, on a line of its own; nothing is shortened.' },
}

/** How many to ask for at once. */
export function pageLimit(call: Call): number {
  const given = textOption(call, 'limit')
  if (given === undefined) return hasFlag(call, 'all') ? mostOnPage : rowsOnScreen(call)
  const limit = /^\d{1,3}$/.test(given) ? Number(given) : 0
  if (limit >= 1 && limit <= mostOnPage) return limit
  throw new Failure('invalid-request', `--limit must be a number from 1 to ${mostOnPage}, not "${given}"`)
}

/** Page by page, as far as somebody wants to see it; all of it with `--all`. */
export async function showList<Item>(call: Call, walk: Walk<Item>, listing: Listing<Item>): Promise<void> {
  const progress = createProgress(call.io, listing.noun)
  try {
    await showPages(call, walk, { listing, progress })
  } finally {
    progress.clear()
  }
}

/** Each part of a list below the one before. */
export function itemPrinter<Item>(call: Call, listing: Listing<Item>): (items: readonly Item[]) => void {
  const { io } = call
  if (hasFlag(call, 'json')) return (items) => io.out(items.map((item) => `${jsonText(item)}\n`).join(''))
  const table = growingTable(listing.headings, io)
  return (items) => io.out(table(items.map(listing.row)))
}

const mostOnPage = 100

/** Room is left for the headings and the question below. */
function rowsOnScreen({ io }: Call): number {
  const { rows = 0 } = io.screen() ?? {}
  return rows === 0 ? 20 : Math.min(Math.max(rows - 2, 5), mostOnPage)
}

async function showPages<Item>(
  call: Call,
  walk: Walk<Item>,
  { listing, progress }: { readonly listing: Listing<Item>; readonly progress: Progress },
): Promise<void> {
  const print = itemPrinter(call, listing)
  let isAll = hasFlag(call, 'all')
  let count = 0
  let total: number | undefined
  for await (const page of walk.pages()) {
    progress.clear()
    if (page.items.length > 0) print(page.items)
    total ??= totalOf(page, listing)
    count += page.items.length
    if (page.next === null) break
    const wish = isAll || page.items.length === 0 ? 'more' : await wishAfter(call, listing)
    if (wish === 'stop') return
    isAll ||= wish === 'all'
    if (isAll) progress.show(count, total)
  }
  if (count === 0 && !hasFlag(call, 'json')) call.io.out(listing.none)
}

function totalOf<Item>({ items, total }: SourcePage<Item>, { expected }: Listing<Item>): number | undefined {
  const [first] = items
  return total ?? (first === undefined ? undefined : expected?.(first))
}

/** Whoever is not there to press a key is told how to get the rest. */
async function wishAfter(call: Call, { noun }: { readonly noun: string }): Promise<'more' | 'all' | 'stop'> {
  const { io } = call
  const { readKey } = io
  if (readKey === undefined || io.screen() === undefined || !io.isAttended || hasFlag(call, 'json')) {
    io.err(`There are more ${noun}: list them with --all.\n`)
    return 'stop'
  }
  io.err(`More ${noun}: space for the next page, a for all, q to stop `)
  const key = await readKey()
  io.err('\r\u001b[K')
  return wishes.get(key.toLowerCase()) ?? 'more'
}

/** Ctrl-C, Ctrl-D and Escape stop as well. */
const wishes: ReadonlyMap<string, 'all' | 'stop'> = new Map([
  ['a', 'all'],
  ['q', 'stop'],
  ['\u0003', 'stop'],
  ['\u0004', 'stop'],
  ['\u001b', 'stop'],
])
