import { untilAborted } from './abort.ts'
import { ClientError } from './client-error.ts'
import type { PageSource, SourcePage } from './page-source.ts'
import { repeatGuard } from './repeat-guard.ts'
import { checkPage, checkWalkOptions, walkEnd } from './walk-checks.ts'

export interface WalkOptions {
  /** A saved `position`; null or absent is the first page. */
  readonly start?: string | null
  /** Fetches one page ahead, and never more, while the current one is consumed. Default false. */
  readonly prefetch?: boolean
  /** Refuses to fetch more pages than this. Default: no bound. */
  readonly maxPages?: number
  /** How many empty pages in a row are passed over. Default 100. */
  readonly maxEmptyPages?: number
  readonly signal?: AbortSignal
  /** Called, and awaited, each time a page was consumed in full; save what it gets. */
  readonly onCheckpoint?: (position: string) => void | Promise<void>
}

/**
 * The items of a list, page after page; read once, either as items or as `pages()`.
 * A page is consumed when what follows its last item is asked for: leaving earlier, even on the last item, leaves the
 * position before that page. A walk that starts at a saved position gets exactly the pages that were not yet consumed.
 */
export interface Walk<T> extends AsyncIterable<T> {
  /** Where a new walk resumes: null before the first page was consumed, `walkEnd` after the last one. */
  readonly position: string | null
  [Symbol.asyncIterator](): AsyncIterableIterator<T, void, undefined>
  /** The same walk page by page; empty pages included. */
  pages(): AsyncIterableIterator<SourcePage<T>, void, undefined>
}

interface Tour<T> {
  readonly source: PageSource<T>
  readonly options: WalkOptions
  /** Ends the walk from inside: on `break`, `return()` and `throw()`. */
  readonly closing: AbortController
  readonly signal: AbortSignal
  position: string | null
}

type Generator<Value> = AsyncGenerator<Value, void, undefined>

export function walk<T>(source: PageSource<T>, options: WalkOptions = {}): Walk<T> {
  checkWalkOptions(options)
  const closing = new AbortController()
  const signal =
    options.signal === undefined ? closing.signal : AbortSignal.any([options.signal, closing.signal])
  const tour: Tour<T> = { source, options, closing, signal, position: options.start ?? null }
  let isStarted = false
  const start = (): Generator<SourcePage<T>> => {
    if (isStarted)
      throw new ClientError('walk_started', 'a walk is read once: start a new one from its `position`')
    isStarted = true
    return pagesOf(tour)
  }
  return {
    get position() {
      return tour.position
    },
    pages: () => closable(start(), closing),
    [Symbol.asyncIterator]: () => closable(itemsOf(start(), options.signal), closing),
  }
}

async function* pagesOf<T>(tour: Tour<T>): Generator<SourcePage<T>> {
  const { closing, options } = tour
  const { maxPages = Number.POSITIVE_INFINITY, prefetch = false } = options
  const check = pageChecks(tour)
  let pageCount = 0
  let ahead: Promise<SourcePage<T>> | undefined
  try {
    while (tour.position !== walkEnd) {
      options.signal?.throwIfAborted()
      if (pageCount === maxPages) throw tooManyPages(tour.position, maxPages)
      const { page, fault } = check(await (ahead ?? request(tour, tour.position)))
      pageCount += 1
      const isWanted = prefetch && fault === undefined && page.next !== null && pageCount < maxPages
      ahead = isWanted ? request(tour, page.next) : undefined
      yield page
      if (fault !== undefined) throw fault
      tour.position = page.next ?? walkEnd
      await options.onCheckpoint?.(tour.position)
    }
  } catch (error) {
    if (!closing.signal.aborted || error !== closing.signal.reason) throw error
  } finally {
    closing.abort()
  }
}

async function* itemsOf<T>(pages: Generator<SourcePage<T>>, signal?: AbortSignal): Generator<T> {
  for await (const page of pages) {
    for (const item of page.items) {
      signal?.throwIfAborted()
      yield item
    }
  }
}

/** A generator answers parallel `next()` calls in turn but also queues `return()`, which must stop the request under way. */
function closable<Value>(
  generator: Generator<Value>,
  closing: AbortController,
): AsyncIterableIterator<Value, void, undefined> {
  return {
    next: () => generator.next(),
    return: () => {
      closing.abort()
      return generator.return()
    },
    throw: (error: unknown) => {
      closing.abort()
      return generator.throw(error)
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function request<T>({ source, signal }: Tour<T>, position: string | null): Promise<SourcePage<T>> {
  const page = untilAborted(signal, () => source(position, signal))
  // A page fetched ahead may fail before anyone awaits it; whoever asks for it still gets the error.
  page.catch(() => {})
  return page
}

interface CheckedPage<T> {
  readonly page: SourcePage<T>
  /** The page itself is good, but there is no way on from it. */
  readonly fault?: ClientError
}

function pageChecks<T>(tour: Tour<T>): (page: SourcePage<T>) => CheckedPage<T> {
  const { maxEmptyPages = 100 } = tour.options
  const isRepeated = repeatGuard(tour.position)
  let emptyInARow = 0
  return (page) => {
    const { position } = tour
    checkPage(page, position)
    if (page.next === null) return { page }
    if (isRepeated(page.next)) {
      const message = 'the server repeated a cursor it had given before; the list would never end'
      return { page, fault: new ClientError('repeated_cursor', message, { position }) }
    }
    emptyInARow = page.items.length === 0 ? emptyInARow + 1 : 0
    if (emptyInARow > maxEmptyPages)
      throw new ClientError(
        'too_many_empty_pages',
        `more than ${maxEmptyPages} empty pages in a row; maxEmptyPages sets the bound`,
        { position },
      )
    return { page }
  }
}

function tooManyPages(position: string | null, maxPages: number): ClientError {
  const message = `the list has more than ${maxPages} pages; maxPages sets the bound, and \`position\` resumes here`
  return new ClientError('too_many_pages', message, { position })
}
