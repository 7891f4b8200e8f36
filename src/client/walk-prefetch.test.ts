import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startAnsweringServer } from '../../test/client/answering-server.ts'
import { cutList, drain } from '../../test/client/cut-list.ts'
import { cursorPages } from './cursor-pages.ts'
import type { PageSource } from './page-source.ts'
import { walk } from './walk.ts'

const threePages = [['a', 'b'], ['c'], ['d']]

test('without prefetch a page is fetched only when it is needed', async () => {
  const list = cutList(threePages)
  const items = walk(list.source)[Symbol.asyncIterator]()
  await items.next()
  await items.next()
  assert.deepEqual(list.asked, [null])
})

test('prefetch asks for exactly one page ahead, and for each page once', async () => {
  const list = cutList(threePages)
  const items = walk(list.source, { prefetch: true })[Symbol.asyncIterator]()
  await items.next()
  assert.deepEqual(list.asked, [null, '1'])
  await items.next()
  assert.deepEqual(list.asked, [null, '1'])
  assert.deepEqual(await drain(items), ['c', 'd'])
  assert.deepEqual(list.asked, [null, '1', '2'])
})

test('a prefetch that fails is reported in its turn, after the items before it, and never as unhandled', async () => {
  const unhandled: unknown[] = []
  const listen = (reason: unknown): number => unhandled.push(reason)
  process.on('unhandledRejection', listen)
  const broken = new Error('page 2 is broken')
  const source: PageSource<string> = async (position) => {
    if (position !== null) throw broken
    return { items: ['a', 'b'], next: 'B' }
  }
  const walking = walk(source, { prefetch: true })
  const items = walking[Symbol.asyncIterator]()
  await items.next()
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await items.next(), { done: false, value: 'b' })
  await assert.rejects(items.next(), broken)
  assert.equal(walking.position, 'B')
  const left = walk(source, { prefetch: true })
  for await (const _ of left) break
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', listen)
  assert.deepEqual(unhandled, [])
})

for (const [ending, leave] of [
  ['break', breakOut],
  ['return()', (items: AsyncIterableIterator<unknown>) => items.return?.()],
  ['throw()', throwInto],
] as const) {
  test(`${ending} aborts the page fetched ahead: the server sees the connection close`, async () => {
    const ahead = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    await using server = await startAnsweringServer((_request, response, url) => {
      if (!url.searchParams.has('cursor')) return { items: [1, 2], next_cursor: 'B', has_more: true }
      response.on('close', () => closed.resolve())
      ahead.resolve()
      return undefined
    })
    const items = walk(cursorPages(server.url), { prefetch: true })[Symbol.asyncIterator]()
    assert.deepEqual(await items.next(), { done: false, value: 1 })
    await ahead.promise
    await leave(items)
    await closed.promise
    assert.deepEqual(await items.next(), { done: true, value: undefined })
  })
}

test('parallel next() calls are answered in order, with one request at a time', async () => {
  let underWay = 0
  const list = cutList([['a'], [], ['b', 'c'], ['d']])
  const source: PageSource<string> = async (position, signal) => {
    underWay += 1
    assert.equal(underWay, 1)
    const page = await list.source(position, signal)
    underWay -= 1
    return page
  }
  const items = walk(source)[Symbol.asyncIterator]()
  const results = await Promise.all(Array.from({ length: 6 }, () => items.next()))
  assert.deepEqual(
    results.map((result) => result.value),
    ['a', 'b', 'c', 'd', undefined, undefined],
  )
  assert.deepEqual(list.asked, [null, '1', '2', '3'])
})

test('return() while a page is under way aborts it and ends the waiting next()', async () => {
  const started = Promise.withResolvers<AbortSignal>()
  const source: PageSource<string> = (_position, signal) => {
    started.resolve(signal)
    return new Promise(() => {})
  }
  const items = walk(source)[Symbol.asyncIterator]()
  const waiting = items.next()
  const signal = await started.promise
  await items.return?.()
  assert.deepEqual(await waiting, { done: true, value: undefined })
  assert.equal(signal.aborted, true)
})

test('throw() while a page is under way aborts it and does not wait for it', async () => {
  const source: PageSource<string> = () => new Promise(() => {})
  const items = walk(source)[Symbol.asyncIterator]()
  const waiting = items.next()
  await throwInto(items)
  assert.deepEqual(await waiting, { done: true, value: undefined })
})

test('a walk that fails aborts the page fetched ahead', async () => {
  const signals: AbortSignal[] = []
  const source: PageSource<string> = (position, signal) => {
    signals.push(signal)
    return position === null ? Promise.resolve({ items: ['a'], next: 'B' }) : new Promise(() => {})
  }
  const onCheckpoint = (): never => {
    throw new Error('disk full')
  }
  await assert.rejects(drain(walk(source, { prefetch: true, onCheckpoint })), /disk full/)
  assert.deepEqual(
    signals.map((signal) => signal.aborted),
    [true, true],
  )
})

test("the caller's signal ends the walk with its reason, even when the source does not listen", async () => {
  const stop = new AbortController()
  const started = Promise.withResolvers<void>()
  const source: PageSource<string> = () => {
    started.resolve()
    return new Promise(() => {})
  }
  const waiting = drain(walk(source, { signal: stop.signal }))
  await started.promise
  const reason = new Error('enough')
  stop.abort(reason)
  await assert.rejects(waiting, reason)
})

test("the caller's signal aborts the HTTP request under way", async () => {
  const arrived = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  await using server = await startAnsweringServer((_request, response) => {
    response.on('close', () => closed.resolve())
    arrived.resolve()
  })
  const stop = new AbortController()
  const waiting = drain(walk(cursorPages(server.url), { signal: stop.signal }))
  await arrived.promise
  stop.abort()
  await assert.rejects(waiting, { name: 'AbortError' })
  await closed.promise
})

test('a signal that aborts inside a page stops the walk before the next item, position unmoved', async () => {
  const stop = new AbortController()
  const walking = walk(cutList(threePages).source, { signal: stop.signal })
  const items = walking[Symbol.asyncIterator]()
  await items.next()
  stop.abort()
  await assert.rejects(items.next(), { name: 'AbortError' })
  assert.equal(walking.position, null)
})

test('a signal that aborts between pages stops the walk although the next page is there already', async () => {
  const stop = new AbortController()
  const walking = walk(cutList(threePages).source, { signal: stop.signal, prefetch: true })
  const pages = walking.pages()
  await pages.next()
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await assert.rejects(pages.next(), { name: 'AbortError' })
  assert.equal(walking.position, '1')
})

test('next() calls that return() overtakes get what is left or the end, never an error', async () => {
  const items = walk(cutList([['a', 'b', 'c'], ['d']]).source)[Symbol.asyncIterator]()
  await items.next()
  const [second, third, closed] = await Promise.all([items.next(), items.next(), items.return?.()])
  assert.deepEqual([second.value, third.value, closed?.done], ['b', 'c', true])
  assert.deepEqual(await items.next(), { done: true, value: undefined })
})

async function breakOut(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items) break
}

async function throwInto(items: AsyncIterableIterator<unknown>): Promise<void> {
  const thrown = new Error('thrown in')
  await assert.rejects(Promise.resolve(items.throw?.(thrown)), thrown)
}
