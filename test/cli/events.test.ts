import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventView } from '../../src/audit/event-view.ts'
import { trim } from '../../src/audit/trim.ts'
import type { Io } from '../../src/cli/io.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { by } from '../records/admin-server.ts'
import { type OperatorPlace, operatorPlace, wayNames } from './operator-place.ts'

const list = ['events', 'list']

/** Every third is refused, every second is Bob's. */
async function withEvents(count: number): Promise<OperatorPlace> {
  const place = await operatorPlace()
  const { issuer } = place.admin
  const events = Array.from({ length: count }, (_, n) => ({
    requestId: `n-${n + 1}`,
    ...(n % 3 === 2 ? { decision: 'deny' as const, status: 403, reason: 'insufficient_scope' } : {}),
    ...(n % 2 === 1 ? { by: by('bob', issuer, 'bob-1'), surface: 'models' as const } : {}),
  }))
  await place.admin.record(events)
  return place
}

function numbersOf(events: readonly Record<string, unknown>[]): readonly unknown[] {
  return events.map(({ seq }) => seq)
}

for (const name of wayNames) {
  test(`${name}: events are a table, newest first`, async () => {
    await using place = await withEvents(3)
    const { code, out } = await place.ways[name].call(list)
    assert.equal(code, 0)
    assert.match(out, /^NUMBER +TIME +WHO +SURFACE +WHAT +DECISION +REASON +STATUS +MS\n3 +20\d\d-/)
    assert.match(out, /\n3 .* alice +tools +tools\/call echo +deny +insufficient_scope +403 +0\.1\n2 /)
  })

  test(`${name}: --all walks a thousand events, and shows how far it has come`, async () => {
    await using place = await withEvents(1000)
    const { out, err } = await place.ways[name].call([...list, '--all', '--json'], { isAttended: true })
    const seen = out.trimEnd().split('\n')
    assert.deepEqual(
      seen.map((line) => JSON.parse(line).seq),
      Array.from({ length: 1000 }, (_, n) => 1000 - n),
    )
    assert.match(err, /\[#{20}-{20}\] 500 of 1,000 events/)
  })

  test(`${name}: what retention has removed is not counted as still to come`, async () => {
    await using place = await withEvents(1000)
    const { bytes } = await place.admin.store.db
      .selectFrom('audit_chain')
      .select('bytes')
      .executeTakeFirstOrThrow()
    const { events } = await trim(place.admin.store, {
      now: microsecondClock(),
      mostBytes: Math.ceil(bytes / 2),
    })
    assert.ok(events > 400 && events < 600)
    const { out, err } = await place.ways[name].call([...list, '--all', '--json'], { isAttended: true })
    assert.equal(out.split('\n').length - 1, 1000 - events)
    assert.match(err, new RegExp(` 100 of ${1000 - events} events`))
  })

  const filters: readonly [args: readonly string[], expected: readonly number[]][] = [
    [
      ['--decision', 'deny'],
      [9, 6, 3],
    ],
    [['--principal', 'bob', '--decision', 'deny'], [6]],
    [
      ['--surface', 'models', '--order', 'oldest'],
      [2, 4, 6, 8],
    ],
    [['--action', 'nothing'], []],
    [
      ['--from', '1h', '--limit', '2'],
      [9, 8],
    ],
    [['--from', '2020-01-01', '--to', '2020-01-02T00:00:00.5+02:00'], []],
  ]
  for (const [args, expected] of filters)
    test(`${name}: ${args.join(' ')} leaves ${expected.length} of nine events`, async () => {
      await using place = await withEvents(9)
      assert.deepEqual(numbersOf(await place.ways[name].lines([...list, ...args])), expected)
    })

  test(`${name}: --follow prints what happens from now on, until it is stopped`, async () => {
    await using place = await withEvents(2)
    const heard: number[] = []
    const stop = Promise.withResolvers<() => void>()
    const third = Promise.withResolvers<void>()
    const world: Partial<Io> = {
      onSignal: (signal, listener) => {
        if (signal === 'SIGINT') stop.resolve(listener)
      },
      out: (text) => {
        heard.push(JSON.parse(text).seq)
        if (heard.length === 3) third.resolve()
      },
    }
    const following = place.ways[name].call([...list, '--follow', '--json'], world)
    const interrupt = await stop.promise
    // The stream begins when it begins: events come until enough were seen.
    let isEnough = false
    void third.promise.then(() => {
      isEnough = true
    })
    while (!isEnough) {
      await place.admin.record([{ requestId: 'later' }])
      await new Promise((resolve) => setImmediate(resolve))
    }
    interrupt()
    assert.equal((await following).code, 0)
    const [first = 0] = heard
    assert.ok(first > 2)
    assert.deepEqual(heard.slice(0, 3), [first, first + 1, first + 2])
  })

  test(`${name}: where no event is, that is said`, async () => {
    await using place = await withEvents(0)
    assert.deepEqual(await place.ways[name].call(list), {
      code: 0,
      out: 'There are no such events.\n',
      err: '',
    })
  })
}

test('both ways show the same of every event', async () => {
  await using place = await withEvents(6)
  const { '--config': stored, '--url': remote } = place.ways
  assert.deepEqual(await stored.lines(list), await remote.lines(list))
})

test('an event that somebody made unreadable is shown as the API shows it', async () => {
  await using place = await withEvents(1)
  const { store } = place.admin
  await store.db.updateTable('audit_events').set({ body: 'gone' }).execute()
  const row = await store.db.selectFrom('audit_events').selectAll().executeTakeFirstOrThrow()
  const [shown] = await place.ways['--config'].lines(list)
  assert.deepEqual(shown, eventView(row))
  assert.equal(shown?.reason, 'unreadable')
})

const misuses: readonly [args: readonly string[], says: RegExp][] = [
  [['--decision', 'maybe'], /--decision must be one of allow, deny, not "maybe"/],
  [['--surface', 'web'], /--surface must be one of tools, models, api/],
  [['--order', 'random'], /--order must be one of newest, oldest/],
  [['--issuer', 'https://a'], /--issuer is understood only beside --principal/],
  [['--from', 'yesterday'], /--from must be a time such as .*how long ago, such as 12h; not "yesterday"/],
  [['--to', '2026-02-30'], /--to must be a time/],
  [['--limit', '0'], /--limit must be a number from 1 to 100, not "0"/],
  [['--limit', '101'], /--limit must be/],
  [['--follow', '--all'], /--follow shows what comes/],
  [['--follow', '--order', 'oldest'], /--follow shows what comes/],
]

for (const [args, says] of misuses)
  test(`events list ${args.join(' ')} is a misuse`, async () => {
    await using place = await operatorPlace()
    const { code, out, err } = await place.ways['--config'].call([...list, ...args])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, says)
  })
