import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../store/engines.ts'
import { type AdminServer, by, startAdminServer } from './admin-server.ts'

interface Received {
  readonly id: string
  readonly name: string
  readonly data: { readonly request_id: string; readonly seq: number }
}

interface Reader extends AsyncDisposable {
  readonly status: number
  /** Waits for so many more events. */
  readonly take: (count: number) => Promise<readonly Received[]>
  /** Everything until the stream ends. */
  readonly rest: () => Promise<readonly Received[]>
}

/** A reader of server-sent events, written from the text of the standard as far as this needs it. */
async function follow(
  admin: AdminServer,
  { query = '', lastEventId, token = admin.token('events:read') }: Followed = {},
): Promise<Reader> {
  const gone = new AbortController()
  const response = await fetch(`${admin.publicUrl}/api/v1/events:stream${query}`, {
    signal: gone.signal,
    headers: {
      authorization: `Bearer ${token}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  })
  const events = parse(response)
  const take = async (count: number): Promise<readonly Received[]> => {
    const taken: Received[] = []
    while (taken.length < count) {
      const { value, done } = await events.next()
      if (done === true) break
      taken.push(value)
    }
    return taken
  }
  return {
    status: response.status,
    take,
    rest: () => take(Number.POSITIVE_INFINITY),
    [Symbol.asyncDispose]: async () => gone.abort(),
  }
}

interface Followed {
  readonly query?: string
  readonly lastEventId?: string | undefined
  readonly token?: string
}

/** It holds on to the response: the body of one that was garbage collected unread ends early. */
async function* parse(response: Response): AsyncGenerator<Received, undefined> {
  let text = ''
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
      )
      if (!fields.has('data')) continue
      yield {
        id: fields.get('id') ?? '',
        name: fields.get('event') ?? '',
        data: JSON.parse(fields.get('data') ?? ''),
      }
    }
  }
  return undefined
}

const namesOf = (events: readonly Received[]): readonly string[] => events.map(({ data }) => data.request_id)

forEachEngine((engine) => {
  test('a stream shows what is recorded after it began, as the list does, and each id is a cursor of the list', async () => {
    await using admin = await startAdminServer({ engine, isListening: true })
    await admin.record([{ requestId: 'before' }])
    await using reader = await follow(admin)
    assert.equal(reader.status, 200)
    await admin.record([{ requestId: 'one' }, { requestId: 'two' }, { requestId: 'three' }])
    const events = await reader.take(3)
    assert.deepEqual(namesOf(events), ['one', 'two', 'three'])
    assert.ok(events.every(({ name }) => name === 'event'))
    const { items } = (await admin.call('/events?order=oldest')).json()
    assert.deepEqual(
      events.map(({ data }) => data),
      items.slice(1),
    )
    const [first] = events
    const list = await admin.call(`/events?order=oldest&cursor=${first?.id}`)
    assert.deepEqual(
      list.json().items.map(({ request_id }: { request_id: string }) => request_id),
      ['two', 'three'],
    )
  })

  test('a reader that comes back with the last id it saw misses nothing and sees nothing twice', async () => {
    await using admin = await startAdminServer({ engine, isListening: true })
    const { next_cursor: cursor, items } = await firstOf(admin)
    const total = 400
    const writing = (async () => {
      for (let n = 0; n < total; n += 8)
        await admin.record(Array.from({ length: 8 }, (_, index) => ({ requestId: `n-${n + index}` })))
    })()
    const seen: Received[] = []
    let lastEventId: string | undefined
    while (seen.length < total) {
      // The cursor in the address stays what it was, as a browser would have it.
      await using reader = await follow(admin, { query: `?cursor=${cursor}`, lastEventId })
      seen.push(...(await reader.take(Math.min(37, total - seen.length))))
      lastEventId = seen.at(-1)?.id
    }
    await writing
    assert.deepEqual(
      namesOf(seen).slice(1),
      Array.from({ length: total - 1 }, (_, n) => `n-${n}`),
    )
    assert.equal(seen[0]?.data.seq, Number(items[0]?.seq) + 1)
  })

  test('a reader whose stream breaks before its first event misses nothing when it comes back', async () => {
    await using admin = await startAdminServer({ engine, isListening: true })
    await admin.record([{ requestId: 'before' }, { requestId: 'before' }])
    const lastEventId = await firstId(admin, '?action=echo')
    await admin.record([{ requestId: 'meanwhile' }])
    await using reader = await follow(admin, { query: '?action=echo', lastEventId })
    assert.deepEqual(namesOf(await reader.take(1)), ['meanwhile'])
  })

  test('a cursor from beyond the end of a record that was restored is refused, not waited for', async () => {
    await using lost = await startAdminServer({ engine })
    await lost.record([{}, {}, {}])
    const beyond = (await lost.call('/events?order=oldest&limit=2')).json().next_cursor
    const back = (await lost.call('/events?limit=1')).json().next_cursor
    const newer = /<[^>]*cursor=([^&>]+)[^>]*>; rel="prev"/.exec(
      String((await lost.call(`/events?limit=1&cursor=${back}`)).headers.link),
    )?.[1]
    await using admin = await startAdminServer({ engine, isListening: true })
    await admin.record([{ requestId: 'one' }])
    for (const path of [
      `/events?order=oldest&cursor=${beyond}`,
      `/events?cursor=${newer}`,
      `/events:stream?cursor=${beyond}`,
    ]) {
      const { statusCode, body } = await admin.call(path)
      assert.equal(statusCode, 400, path)
      assert.match(body, /cursor lies beyond the end of the record: begin again without it/)
    }
    // What leads to older events passes nothing by.
    assert.equal((await admin.call(`/events?cursor=${back}`)).json().items[0].request_id, 'one')
    await admin.record([{ requestId: 'two' }, { requestId: 'three' }])
    await using reader = await follow(admin, { lastEventId: beyond })
    assert.deepEqual(namesOf(await reader.take(1)), ['three'])
  })

  test('within a second after its session was ended, a token reads no more of its stream', async () => {
    await using admin = await startAdminServer({ engine, isListening: true })
    const stream = await fetch(`${admin.publicUrl}/api/v1/events:stream?action=nothing`, {
      headers: { authorization: `Bearer ${admin.token('own:read', 'bob')}` },
    })
    const id = admin.decisions[0]?.principal?.credential.id ?? ''
    await admin.record([{ by: by('bob', admin.issuer, id) }])
    const [session] = (await admin.call('/sessions')).json().items
    assert.equal((await admin.call(`/sessions/${session.id}`, { method: 'DELETE' })).statusCode, 204)
    const before = performance.now()
    assert.match(await stream.text(), /^id: \S+\n\n$/)
    assert.ok(performance.now() - before < 1000, `${performance.now() - before} ms`)
  })

  test('filters and owners hold for streams as for lists', async () => {
    await using admin = await startAdminServer({ engine, isListening: true })
    await using denied = await follow(admin, { query: '?decision=deny' })
    await using own = await follow(admin, { token: admin.token('own:read', 'bob') })
    const foreign = await follow(admin, { query: '?principal=alice', token: admin.token('own:read', 'bob') })
    assert.equal(foreign.status, 403)
    await admin.record([{ requestId: 'one' }, { requestId: 'two', by: by('bob', admin.issuer, 'b-1') }])
    await admin.record([{ requestId: 'three', decision: 'deny', status: 403, reason: 'insufficient_scope' }])
    await admin.record([{ requestId: 'four', by: by('bob', admin.issuer, 'b-1') }])
    assert.deepEqual(namesOf(await denied.take(1)), ['three'])
    const mine = await own.take(2)
    assert.deepEqual(namesOf(mine), ['two', 'four'])
    const everyone = await follow(admin, { lastEventId: mine[0]?.id })
    assert.equal(everyone.status, 400)
  })
})

/** What a stream says before anything has happened. */
async function firstId(admin: AdminServer, query: string): Promise<string> {
  const response = await fetch(`${admin.publicUrl}/api/v1/events:stream${query}`, {
    headers: { authorization: `Bearer ${admin.token('events:read')}` },
  })
  let text = ''
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk
    const [, id] = /^id: (\S+)\n\n/.exec(text) ?? []
    if (id !== undefined) return id
  }
  return assert.fail(`the stream ended with ${text}`)
}

/** The newest page of one, with a cursor that leads on from the oldest event. */
async function firstOf(admin: AdminServer): Promise<{ next_cursor: string; items: { seq: number }[] }> {
  await admin.record([{ requestId: 'zero' }, { requestId: 'zero' }])
  return (await admin.call('/events?order=oldest&limit=1')).json()
}
