import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { event, type RawRequest, type RawUpstream, startRawUpstream } from '../../test/mcp/raw-upstream.ts'
import { callTool, textOf } from '../../test/mcp/tool-call.ts'
import { createLog } from '../log/log.ts'
import { upstreamSource } from './source-upstream.ts'
import { resumeScheduler } from './source-upstream-sending.ts'
import type { ToolSource } from './tool-source.ts'

interface Opened {
  readonly source: ToolSource
  /** Resolves when the log has this text. */
  readonly logged: (text: string) => Promise<void>
  readonly log: () => string
}

async function open(t: TestContext, { url }: RawUpstream): Promise<Opened> {
  let lines = ''
  let wake = (): void => undefined
  const log = createLog({
    destination: {
      write: (line) => {
        lines += line
        wake()
      },
    },
  })
  const source = await upstreamSource(
    { name: 'bank', url, allowPrivate: true, refreshMinutes: 60 },
    { log, outputLimitBytes: 1_048_576, retryMs: 5, firstWaitMs: 30_000 },
  )
  t.after(() => source.close())
  const logged: Opened['logged'] = async (text) => {
    while (!lines.includes(text))
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  return { source, logged, log: () => lines }
}

const pay = ({ source }: Opened): ReturnType<typeof callTool> => callTool(source.tools(), 'bank_pay')
const paid = { content: [{ type: 'text', text: 'paid' }] }
const mayBeDone = 'the call may have been done all the same, so look before you make it again'
const brokeOff = `bank broke off before it answered; ${mayBeDone}`
const unreadable = `bank answered with something that cannot be read; ${mayBeDone}`

function stream(reply: ServerResponse): ServerResponse {
  return reply.writeHead(200, { 'content-type': 'text/event-stream' })
}

const faults: readonly (readonly [what: string, words: string, answer: (request: RawRequest) => unknown])[] =
  [
    ['a stream that ends without an answer', brokeOff, ({ reply }) => stream(reply).end(': hello\n\n')],
    [
      'a stream that is cut',
      brokeOff,
      ({ reply }) => stream(reply).write(': hello\n\n', () => reply.destroy()),
    ],
    ['a stream with an event that is no JSON', brokeOff, ({ reply }) => stream(reply).end('data: {nope\n\n')],
    [
      'a stream with an endless event',
      'the answer of bank is too large',
      ({ reply }) => stream(reply).write(`data: ${'x'.repeat(5_000_000)}`),
    ],
    [
      'a stream that can be resumed, and then can not',
      brokeOff,
      ({ reply }) => stream(reply).end('retry: 1\nid: 1\ndata:\n\n'),
    ],
    ['no answer at all', brokeOff, ({ reply }) => reply.destroy()],
    ['an error of a proxy', brokeOff, ({ reply }) => reply.writeHead(502).end()],
    [
      'a body that is no JSON',
      unreadable,
      ({ reply }) => reply.writeHead(200, { 'content-type': 'application/json' }).end('{nope'),
    ],
    [
      'a body that is no message',
      unreadable,
      ({ reply }) => reply.writeHead(200, { 'content-type': 'application/json' }).end('{"paid":true}'),
    ],
    [
      'a page',
      unreadable,
      ({ reply }) => reply.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
    ],
    [
      'a refusal',
      'bank cannot be reached at the moment; try again later',
      ({ reply }) => reply.writeHead(429).end('slow down'),
    ],
  ]

for (const era of ['modern', 'legacy'] as const)
  for (const [what, words, answer] of faults)
    test(`a call that is answered with ${what} ends at once, and says what became of it (${era})`, async (t) => {
      const upstream = await startRawUpstream(t, era, { 'tools/call': answer })
      upstream.answers.GET = ({ reply }) => reply.writeHead(400).end()
      const result = await pay(await open(t, upstream))
      assert.deepEqual([result.isError, textOf(result)], [true, words])
    })

test('a stream that breaks off is resumed where the upstream can', async (t) => {
  let id: unknown
  const upstream = await startRawUpstream(t, 'legacy', {
    'tools/call': (request) => {
      id = request.id
      stream(request.reply).end('retry: 1\nid: 7\ndata:\n\n')
    },
    GET: ({ headers, reply }) => {
      if (headers['last-event-id'] === '7') stream(reply).end(event({ jsonrpc: '2.0', id, result: paid }))
      else reply.writeHead(405).end()
    },
  })
  assert.deepEqual(await pay(await open(t, upstream)), paid)
})

test('an answer that nobody waits for any more is not resumed', async (t) => {
  const stop = new AbortController()
  let resumed = 0
  const more = Promise.withResolvers<void>()
  const upstream = await startRawUpstream(t, 'legacy', {
    'tools/call': ({ reply }) => stream(reply).end('retry: 0\nid: 7\ndata:\n\n'),
    GET: ({ headers, reply }) => {
      if (headers['last-event-id'] === undefined) return void reply.writeHead(405).end()
      resumed += 1
      if (resumed === 3) more.resolve()
      stream(reply).end('retry: 0\nid: 7\ndata:\n\n')
    },
  })
  const { source } = await open(t, upstream)
  const call = assert.rejects(callTool(source.tools(), 'bank_pay', { signal: stop.signal }))
  await more.promise
  stop.abort()
  await call
  const before = resumed
  // One may be on its way; each further one would come after the pause of the one before.
  await pause(100)
  assert.ok(resumed <= before + 1, `${resumed - before} more`)
})

test('a pause that no timer can count is as long as the longest', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let again = 0
  resumeScheduler({ retryMs: 5, maxRetryMs: 50 })(() => (again += 1), 99_999_999_999, 0)
  t.mock.timers.tick(49)
  assert.equal(again, 0)
  t.mock.timers.tick(1)
  assert.equal(again, 1)
})

/** Until 2025-11-25 changes are told on a stream of their own. */
function changes(upstream: RawUpstream): { readonly announce: () => void; readonly opened: Promise<void> } {
  const opened = Promise.withResolvers<void>()
  let told: ServerResponse | undefined
  upstream.answers.GET = ({ reply }) => {
    told = stream(reply)
    reply.flushHeaders()
    opened.resolve()
  }
  return {
    announce: () => told?.write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })),
    opened: opened.promise,
  }
}

/** Holds every call until it is let go. */
function held(upstream: RawUpstream): { readonly arrived: Promise<void>; readonly letGo: () => void } {
  const arrived = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  upstream.answers['tools/call'] = async ({ answer }) => {
    arrived.resolve()
    await gate.promise
    answer(paid)
  }
  return { arrived: arrived.promise, letGo: () => gate.resolve() }
}

test('a list that cannot be read does not cut off a call that is under way, and its connection ends after it', async (t) => {
  const upstream = await startRawUpstream(t, 'legacy')
  const { announce, opened } = changes(upstream)
  const { arrived, letGo } = held(upstream)
  const ended = Promise.withResolvers<void>()
  upstream.answers.DELETE = ({ reply }) => {
    reply.writeHead(200).end()
    ended.resolve()
  }
  const linked = await open(t, upstream)
  await opened
  const paying = pay(linked)
  await arrived
  const renewed = Promise.withResolvers<void>()
  const initialize = upstream.answers.initialize
  upstream.answers.initialize = (request) => {
    initialize?.(request)
    renewed.resolve()
  }
  upstream.answers['tools/list'] = ({ reply }) => reply.writeHead(429).end()
  announce()
  await renewed.promise
  assert.equal(upstream.seen.includes('DELETE'), false)
  letGo()
  assert.deepEqual(await paying, paid)
  await ended.promise
})

test('a source that is closed cuts off its calls, which say that they may have been done', async (t) => {
  const upstream = await startRawUpstream(t, 'modern')
  const { arrived } = held(upstream)
  const linked = await open(t, upstream)
  const paying = pay(linked)
  await arrived
  await linked.source.close()
  assert.equal(textOf(await paying), brokeOff)
  assert.equal(textOf(await pay(linked)), 'bank cannot be reached at the moment; try again later')
})

test('calls that come while a lost session is renewed wait for the new one', async (t) => {
  const upstream = await startRawUpstream(t, 'legacy', { 'tools/call': ({ answer }) => answer(paid) })
  const linked = await open(t, upstream)
  const renewing = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const initialize = upstream.answers.initialize
  upstream.answers.initialize = async (request) => {
    renewing.resolve()
    await gate.promise
    initialize?.(request)
  }
  upstream.session = 'two'
  const first = pay(linked)
  await renewing.promise
  const others = [pay(linked), pay(linked)]
  gate.resolve()
  assert.deepEqual(await Promise.all([first, ...others]), [paid, paid, paid])
})

test('a lost session that a change of the list brings to light is no outage', async (t) => {
  const upstream = await startRawUpstream(t, 'legacy')
  const { announce, opened } = changes(upstream)
  const linked = await open(t, upstream)
  await opened
  const changed = Promise.withResolvers<void>()
  linked.source.onChange(() => changed.resolve())
  upstream.session = 'two'
  upstream.answers['tools/list'] = ({ answer }) =>
    answer({ tools: [{ name: 'refund', inputSchema: { type: 'object' } }] })
  announce()
  await changed.promise
  assert.deepEqual(namesOf(linked), ['bank_refund'])
  assert.doesNotMatch(linked.log(), /it will be tried again/)
})

const namesOf = ({ source }: Opened): readonly string[] => source.tools().map(({ name }) => name)

for (const [what, list] of [
  ['nothing', {}],
  ['a text', { tools: 'none' }],
] as const)
  test(`tools stay listed when the list of the older era becomes ${what}`, async (t) => {
    const upstream = await startRawUpstream(t, 'legacy')
    const { announce, opened } = changes(upstream)
    const linked = await open(t, upstream)
    await opened
    upstream.answers['tools/list'] = ({ answer }) => answer(list)
    announce()
    await linked.logged('is not a list')
    assert.deepEqual(namesOf(linked), ['bank_pay'])
  })

test('in the older era a list may be null, and an empty cursor ends it', async (t) => {
  const upstream = await startRawUpstream(t, 'legacy')
  upstream.answers['tools/list'] = ({ answer }) => answer({ tools: null, nextCursor: '' })
  const linked = await open(t, upstream)
  await linked.logged('an upstream is connected')
  assert.deepEqual(namesOf(linked), [])
  assert.equal(upstream.seen.filter((method) => method === 'tools/list').length, 1)
})

test('changes are followed again after the stream for them has ended, and was refused many times', async (t) => {
  let streams = 0
  const upstream = await startRawUpstream(t, 'legacy', {
    GET: ({ reply }) => {
      streams += 1
      if (streams === 1) stream(reply).end(': hello\n\n')
      else if (streams < 6) reply.writeHead(503).end()
      else {
        upstream.answers['tools/list'] = ({ answer }) => answer({ tools: [] })
        stream(reply).write(event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }))
      }
    },
  })
  const { source } = await open(t, upstream)
  const changed = Promise.withResolvers<void>()
  source.onChange(() => changed.resolve())
  await changed.promise
  assert.equal(streams, 6)
})
