import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientError } from '../../test/client/client-error-check.ts'
import { cutList, drain, listOf } from '../../test/client/cut-list.ts'
import type { PageSource, SourcePage } from './page-source.ts'
import { walk } from './walk.ts'
import { walkEnd } from './walk-checks.ts'

test('items come in order, over empty pages too', async () => {
  const list = cutList([['a', 'b'], [], [], ['c'], []])
  assert.deepEqual(await drain(walk(list.source)), ['a', 'b', 'c'])
  assert.deepEqual(list.asked, [null, '1', '2', '3', '4'])
})

test('pages() gives every page, the empty ones included', async () => {
  const pages = await drain(walk(cutList([['a'], [], ['b']]).source).pages())
  assert.deepEqual(
    pages.map((page) => page.items),
    [['a'], [], ['b']],
  )
})

test('nothing is fetched before the first item is asked for', () => {
  const list = cutList([['a']])
  walk(list.source, { prefetch: true })[Symbol.asyncIterator]()
  assert.deepEqual(list.asked, [])
})

test('a page counts as consumed when what follows its last item is asked for', async () => {
  const walking = walk(cutList([['a', 'b'], ['c']]).source)
  const items = walking[Symbol.asyncIterator]()
  assert.equal(walking.position, null)
  await items.next()
  await items.next()
  assert.equal(walking.position, null)
  await items.next()
  assert.equal(walking.position, '1')
  await items.next()
  assert.equal(walking.position, walkEnd)
})

test('leaving on the last item of a page leaves the position before that page', async () => {
  const walking = walk(cutList([['a'], ['b'], ['c']]).source)
  for await (const item of walking) if (item === 'b') break
  assert.equal(walking.position, '1')
})

test('a finished walk resumes with nothing and asks nothing', async () => {
  const list = cutList([['a']])
  assert.deepEqual(await drain(walk(list.source, { start: walkEnd })), [])
  assert.deepEqual(list.asked, [])
})

test('a checkpoint is awaited before the next page is fetched', async () => {
  const events: string[] = []
  const list = cutList([['a'], ['b']])
  const source: PageSource<string> = (position, signal) => {
    events.push(`fetch ${position}`)
    return list.source(position, signal)
  }
  const onCheckpoint = async (position: string): Promise<void> => {
    await Promise.resolve()
    events.push(`save ${position}`)
  }
  await drain(walk(source, { onCheckpoint }))
  assert.deepEqual(events, ['fetch null', 'save 1', 'fetch 1', `save ${walkEnd}`])
})

test('a checkpoint that cannot be saved ends the walk, and the position is still right', async () => {
  const failed = new Error('disk full')
  const onCheckpoint = (): Promise<void> => Promise.reject(failed)
  const walking = walk(cutList([['a'], ['b']]).source, { onCheckpoint })
  await assert.rejects(drain(walking), failed)
  assert.equal(walking.position, '1')
})

for (const [shape, nexts, delivered] of [
  ['points at itself', ['A', 'A'], ['item 0', 'item 1']],
  ['goes A → B → A', ['A', 'B', 'A'], ['item 0', 'item 1', 'item 2']],
  ['repeats ""', ['', ''], ['item 0', 'item 1']],
] as const) {
  test(`a server whose cursor ${shape} is refused before a page comes twice`, async () => {
    let call = 0
    const source: PageSource<string> = async () => ({ items: [`item ${call}`], next: nexts[call++] ?? null })
    const items: string[] = []
    await assert.rejects(async () => {
      for await (const item of walk(source)) items.push(item)
    }, isClientError('repeated_cursor'))
    assert.deepEqual(items, delivered)
  })
}

test('a cursor that leads back to the start of a resumed walk is refused before a page comes twice', async () => {
  let calls = 0
  const source: PageSource<string> = async () => ({ items: [`item ${++calls}`], next: 'A' })
  await assert.rejects(drain(walk(source, { start: 'A' })), isClientError('repeated_cursor', 'A'))
  assert.equal(calls, 1)
})

test('"" is a cursor like any other: only null ends a walk', async () => {
  const pages = new Map<string | null, SourcePage<string>>([
    [null, { items: ['a'], next: '' }],
    ['', { items: ['b'], next: null }],
  ])
  assert.deepEqual(await drain(walk(listOf(pages))), ['a', 'b'])
})

test('maxPages lets that many pages through, then refuses with the position to resume from', async () => {
  const cuts = [['a'], ['b'], ['c']]
  assert.deepEqual(await drain(walk(cutList(cuts).source, { maxPages: 3 })), ['a', 'b', 'c'])
  for (const prefetch of [false, true]) {
    const list = cutList(cuts)
    const items: string[] = []
    await assert.rejects(
      async () => {
        for await (const item of walk(list.source, { maxPages: 2, prefetch })) items.push(item)
      },
      isClientError('too_many_pages', '2'),
    )
    assert.deepEqual(
      [items, list.asked],
      [
        ['a', 'b'],
        [null, '1'],
      ],
    )
  }
})

test('more empty pages in a row than maxEmptyPages are refused; a page with items starts the count anew', async () => {
  const cuts = [[], [], ['a'], [], [], ['b'], [], [], [], ['c']]
  const items: string[] = []
  await assert.rejects(
    async () => {
      for await (const item of walk(cutList(cuts).source, { maxEmptyPages: 2 })) items.push(item)
    },
    isClientError('too_many_empty_pages', '8'),
  )
  assert.deepEqual(items, ['a', 'b'])
  assert.deepEqual(await drain(walk(cutList(cuts).source, { maxEmptyPages: 3 })), ['a', 'b', 'c'])
})

test('a walk is read once', async () => {
  const walking = walk(cutList([['a']]).source)
  await drain(walking)
  assert.throws(() => walking.pages(), isClientError('walk_started'))
})

for (const page of [undefined, { items: 'no', next: null }, { items: [] }, { items: [], next: 7 }]) {
  test(`a source that returns ${JSON.stringify(page)} gets a clear error`, async () => {
    const source = (): Promise<SourcePage<string>> =>
      JSON.parse(`{"page":${JSON.stringify(page) ?? null}}`).page
    await assert.rejects(drain(walk(source)), isClientError('unexpected_page', null))
  })
}

test('a cursor that means the end of a walk is refused, not taken for the end', async () => {
  const source: PageSource<string> = async () => ({ items: ['a'], next: walkEnd })
  await assert.rejects(drain(walk(source)), isClientError('unexpected_page', null))
})

test('bounds that make no sense are refused at once', () => {
  const { source } = cutList([])
  for (const options of [
    { maxPages: 0 },
    { maxPages: 1.5 },
    { maxEmptyPages: -1 },
    { maxEmptyPages: Number.NaN },
  ])
    assert.throws(() => walk(source, options), isClientError('invalid_option'))
})
