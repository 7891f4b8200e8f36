import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrations } from '../../src/store/migrations.ts'
import type { StoreSchema } from '../../src/store/store.ts'
import { type ModelServer, startModelServer } from '../model-api/model-server.ts'
import { createWordEngine } from '../model-api/word-engine.ts'
import { forEachEngine } from '../store/engines.ts'
import { aMoment, keepWriting } from './walk-pages.ts'

interface Page {
  readonly names: readonly string[]
  readonly next: string | undefined
}

interface Walk {
  readonly models: ModelServer
  readonly key: string
  readonly path: string
  readonly items: string
}

async function pageOf(
  { models, key, path, items }: Walk,
  query: Readonly<Record<string, string>>,
): Promise<Page> {
  const response = await models.call(key, { url: path, query })
  assert.equal(response.statusCode, 200, response.body)
  const body = response.json()
  assert.notEqual(body.nextPageToken, '')
  const names = (body[items] ?? []).map(({ name }: { name: string }) => name)
  return { names, next: body.nextPageToken }
}

/** Until there is no token, each page as large as the next of these sizes says. */
async function walk(list: Walk, sizes: readonly number[]): Promise<readonly Page[]> {
  const pages: Page[] = []
  for (let next: string | undefined; pages.length === 0 || next !== undefined; ) {
    const page = await pageOf(list, {
      pageSize: String(sizes[pages.length % sizes.length]),
      ...(next === undefined ? {} : { pageToken: next }),
    })
    pages.push(page)
    next = page.next
    await aMoment()
  }
  return pages
}

async function keep({ models }: Pick<Walk, 'models'>, owner: string, id: string): Promise<void> {
  await models.stored.cachedContents.create({
    owner,
    id,
    parent: '',
    model: 'models/words',
    display_name: id,
    content: '{}',
    tokens: 1,
    expires_at: 4_000_000_000_000_000,
  })
}

forEachEngine((engine) => {
  test('models: a walk by page tokens sees all of them once, and the last page has no token', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const engines = Object.fromEntries(
      Array.from({ length: 13 }, (_, index) => [
        `words-${String(index).padStart(2, '0')}`,
        createWordEngine(),
      ]),
    )
    await using models = await startModelServer({ store, engines })
    const list = { models, key: await models.keyFor('alice'), path: '/v1beta/models', items: 'models' }
    for (const sizes of [[1], [4], [13], [1000], [5, 2]]) {
      const pages = await walk(list, sizes)
      assert.deepEqual(
        pages.flatMap(({ names }) => names),
        Object.keys(engines).map((name) => `models/${name}`),
      )
      assert.ok(pages.every(({ names }) => names.length > 0))
    }
  })

  test('cached contents: while others are made and removed, what stays is seen exactly once', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    await using models = await startModelServer({ store })
    const list = {
      models,
      key: await models.keyFor('alice'),
      path: '/v1beta/cachedContents',
      items: 'cachedContents',
    }
    const owner = JSON.stringify([models.publicUrl, 'alice'])
    const stays = Array.from({ length: 40 }, (_, index) => `stays${String(index).padStart(2, '0')}`)
    for (const id of stays) await keep(list, owner, id)
    const writing = keepWriting(async (turn) => {
      await keep(list, owner, `churn${turn}`)
      await new Promise(setImmediate)
      if (turn % 3 === 2)
        await models.stored.cachedContents.remove({ owner, parent: '', id: `churn${turn - 2}` })
    })
    for (let round = 0; round < 3 || writing.changes() <= 5; round += 1) {
      const seen = (await walk(list, [3, 7])).flatMap(({ names }) => names)
      assert.equal(new Set(seen).size, seen.length)
      assert.deepEqual(
        seen.filter((name) => name.includes('stays')),
        stays.map((id) => `cachedContents/${id}`).toReversed(),
      )
    }
    await writing.stop()
  })

  test('a page token is opaque: cut, changed, of another list or of somebody else it is refused', async () => {
    await using store = await engine.open<StoreSchema>(migrations)
    const engines = { one: createWordEngine(), two: createWordEngine() }
    await using models = await startModelServer({ store, engines })
    const [alice, bob] = [await models.keyFor('alice'), await models.keyFor('bob')]
    for (const name of ['alice', 'bob'])
      for (const id of ['first', 'second'])
        await keep({ models }, JSON.stringify([models.publicUrl, name]), `${name}${id}`)
    const contents = { models, key: alice, path: '/v1beta/cachedContents', items: 'cachedContents' }
    const { next = '' } = await pageOf(contents, { pageSize: '1' })
    const { next: other = '' } = await pageOf(
      { ...contents, path: '/v1beta/models', items: 'models' },
      { pageSize: '1' },
    )
    assert.ok(next !== '' && other !== '')
    assert.equal((await pageOf(contents, { pageToken: next })).names.length, 1)
    const bad = [next.slice(0, -1), `${next}A`, `B${next.slice(1)}`, other, 'x', '1']
    for (const pageToken of bad) {
      const refused = await models.call(alice, { url: contents.path, query: { pageToken } })
      assert.equal(refused.statusCode, 400, pageToken)
      assert.equal(refused.json().error.status, 'INVALID_ARGUMENT')
    }
    const foreign = await models.call(bob, { url: contents.path, query: { pageToken: next } })
    assert.equal(foreign.statusCode, 400)
  })
})
