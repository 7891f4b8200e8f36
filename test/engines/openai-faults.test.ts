import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import type { AnswerPiece } from '../../src/engines/content.ts'
import { UpstreamRefusal } from '../../src/engines/openai/failure.ts'
import { Failure } from '../../src/failure/failure.ts'
import { startOpenaiServer } from '../openai-server/openai-server.ts'
import { apiKey, callWith, ended, engineFor, said, textOf } from './openai-calls.ts'
import { assertWithin } from './own-time.ts'

const server = await startOpenaiServer()
after(() => server[Symbol.asyncDispose]())

const refusals = [
  ['400', 'invalid-request', /^the upstream refused the request: it is a 400/],
  ['422', 'invalid-request', /^the upstream refused the request: it is a 422/],
  ['401', 'unavailable', /^the upstream refused our credential/],
  ['403', 'unavailable', /^the upstream refused our credential/],
  ['nope', 'not-found', /^the upstream has no model "nope"/],
  ['413', 'too-large', /^the request is too large/],
  ['429', 'limit-exceeded', /^the upstream takes no more requests/],
  ['302', 'unavailable', /status 302/],
  ['500', 'unavailable', /status 500/],
  ['503', 'unavailable', /status 503/],
] as const

for (const kind of ['openai', 'vllm', 'llama'] as const) {
  test(`each status of ${kind} has its failure, streamed or not, and none shows our key`, async (t) => {
    for (const [model, code, message] of refusals) {
      const { engine } = await engineFor(t, { server, kind, model, apiKey })
      for (const isStream of [true, false]) {
        const failure = await failureOf(ended(engine, said('Hi'), { isStream }))
        assert.equal(failure.code, code, model)
        assert.match(failure.message, message)
        assert.doesNotMatch(`${failure.message} ${String(failure.cause)}`, /sk-test/)
      }
    }
  })
}

test('a wrong key is refused without being quoted', async (t) => {
  const { engine } = await engineFor(t, { server, kind: 'openai', apiKey: 'sk-wrong-987654' })
  const failure = await failureOf(ended(engine, said('Hi')))
  assert.deepEqual([failure.code, failure.reason], ['unavailable', 'upstream_credential'])
  assert.doesNotMatch(`${failure.message} ${String(failure.cause)}`, /sk-wrong/)
})

test('how long to wait after too many requests is kept', async (t) => {
  const { engine } = await engineFor(t, { server, model: '429' })
  const { cause } = await failureOf(ended(engine, said('Hi')))
  assert.ok(cause instanceof UpstreamRefusal)
  assert.deepEqual([cause.statusCode, cause.retryAfterSeconds], [429, 7])
})

const breakages = [
  ['reset-early', '', /^the connection to the upstream broke/],
  ['reset', 'Once', /^the connection to the upstream broke/],
  ['cut', 'Once', /^the connection to the upstream broke/],
  ['incomplete', 'Once', /^the upstream ended its answer before it was complete/],
  ['garbage', 'Once', /^the upstream sent an event that is no JSON object/],
  ['half', 'Once', /^the upstream sent an event that is no JSON object/],
  ['html', '', /^the upstream ended its answer before it was complete/],
  ['not-json', '', /^the upstream sent an answer that is no JSON object/],
  ['huge', '', /^the upstream sent an event of more than/],
  ['silent', 'Once', /^the upstream fell silent/],
  ['hang', '', /^the upstream did not begin to answer in time/],
] as const

for (const [model, before, message] of breakages) {
  test(`an upstream that is "${model}" is unavailable, after what came before`, async (t) => {
    const { engine } = await engineFor(t, { server, model, timeouts: { firstByteMs: 300, idleMs: 300 } })
    const pieces: AnswerPiece[] = []
    const failure = await failureOf(collect(engine.generate(said('Hi'), callWith()), pieces))
    assert.equal(failure.code, 'unavailable')
    assert.match(failure.message, message)
    assert.equal(textOf(pieces), before)
    await engine.close()
    await server.reaches(({ sockets }) => sockets === 0)
  })
}

test('an error in the middle of a stream is the failure it would have been at its beginning', async (t) => {
  for (const [kind, code] of [
    ['vllm', 'invalid-request'],
    ['llama', 'invalid-request'],
    ['openai', 'unavailable'],
  ] as const) {
    const { engine } = await engineFor(t, { server, kind, model: 'late-error', apiKey })
    assert.equal((await failureOf(ended(engine, said('Hi')))).code, code)
  }
})

test('a server that is not there is unavailable', async (t) => {
  const { engine } = await engineFor(t, {
    server: { ...server, origin: `http://127.0.0.1:${await unusedPort()}` },
  })
  for (const promise of [
    ended(engine, said('Hi')),
    engine.countTokens(said('Hi'), callWith()),
    engine.embed([{ content: { parts: [{ text: 'a' }] } }], callWith()),
  ]) {
    const failure = await failureOf(promise)
    assert.deepEqual([failure.code, failure.reason], ['unavailable', 'upstream_down'])
  }
})

test('an aborted call never reaches the upstream', async (t) => {
  const { engine } = await engineFor(t, { server, model: 'hang' })
  const { accepted } = await server.reaches(() => true)
  const reason = new Error('gone')
  await assert.rejects(ended(engine, said('Hi'), { signal: AbortSignal.abort(reason) }), reason)
  assert.equal((await server.reaches(() => true)).accepted, accepted)
})

for (const model of ['hang', 'endless', 'silent']) {
  test(`an abort ends the call of an upstream that is "${model}" within 100 ms`, async (t) => {
    const { engine } = await engineFor(t, { server, model })
    const caller = new AbortController()
    const reason = new Error('gone')
    const answer = assert.rejects(ended(engine, said('Hi'), { signal: caller.signal }), reason)
    await server.reaches(({ answering }) => answering === 1)
    caller.abort(reason)
    const left = server.reaches(({ answering, sockets }) => answering === 0 && sockets === 0)
    await assertWithin(100, Promise.all([answer, left]), server.turn)
  })
}

test('who stops reading ends the call of the upstream within 100 ms', async (t) => {
  const { engine } = await engineFor(t, { server, model: 'endless' })
  for await (const piece of engine.generate(said('Hi'), callWith())) {
    assert.equal(textOf([piece]), ' more')
    break
  }
  const left = server.reaches(({ answering, sockets }) => answering === 0 && sockets === 0)
  await assertWithin(100, left, server.turn)
})

test('a stream that is done but not closed does not hold the caller', async (t) => {
  const { engine } = await engineFor(t, { server, model: 'lingering' })
  assert.equal(textOf(await ended(engine, said('Hi'))), 'Once')
  await server.reaches(({ answering }) => answering === 0)
})

test('calls one after the other use the same connections again, and closing ends them', async (t) => {
  const { engine } = await engineFor(t, { server })
  const callTwice = async (): Promise<number> => {
    for (const isStream of [true, false]) await ended(engine, said('one two three'), { isStream })
    return (await server.reaches(({ answering }) => answering === 0)).accepted
  }
  await callTwice()
  const accepted = await callTwice()
  for (let round = 0; round < 5; round += 1) assert.equal(await callTwice(), accepted)
  await engine.close()
  await server.reaches(({ sockets }) => sockets === 0)
})

test('a hundred calls that break in every way leave no connection behind', async (t) => {
  const models = [
    'reset',
    'cut',
    'garbage',
    'half',
    '500',
    '429',
    'echo',
    'endless',
    'lingering',
    'reset-early',
  ]
  await server.reaches(({ sockets }) => sockets === 0)
  const engines = await Promise.all(models.map((model) => engineFor(t, { server, model })))
  const calls = engines.flatMap(({ engine }) =>
    Array.from({ length: 10 }, () => ended(engine, said('Hi'), { signal: AbortSignal.timeout(200) })),
  )
  const outcomes = await Promise.allSettled(calls)
  assert.equal(outcomes.length, 100)
  await server.reaches(({ answering }) => answering === 0)
  await Promise.all(engines.map(({ engine }) => engine.close()))
  await server.reaches(({ sockets }) => sockets === 0)
})

async function collect(pieces: AsyncIterable<AnswerPiece>, into: AnswerPiece[]): Promise<void> {
  for await (const piece of pieces) into.push(piece)
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(outcome instanceof Failure, `no failure but ${String(outcome)}`)
  return outcome
}

/** A port that was free a moment ago. */
async function unusedPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const { port } = Object(listener.address())
  await new Promise((resolve) => listener.close(resolve))
  return port
}
