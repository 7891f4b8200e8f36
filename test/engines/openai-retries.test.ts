import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Failure } from '../../src/failure/failure.ts'
import { type OpenaiServer, startOpenaiServer } from '../openai-server/openai-server.ts'
import { callWith, ended, engineFor, said, textOf } from './openai-calls.ts'
import { callModel, type ModelGateway, startModelGateway } from './wire-gateway.ts'
import { startWireServer } from './wire-upstream-server.ts'

/** So that a repeated call waits for no time worth naming. */
const random = (): number => -1

async function requestsOf({ turn, reaches }: OpenaiServer): Promise<number> {
  await turn()
  return (await reaches(({ answering }) => answering === 0)).requests.length
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const outcome: unknown = await promise.catch((error: unknown) => error)
  assert.ok(outcome instanceof Failure, `no failure but ${String(outcome)}`)
  return outcome
}

for (const [model, requests] of [
  ['2x503', 3],
  ['1x500', 2],
  ['1xreset-early', 2],
] as const)
  for (const isStream of [true, false])
    test(`a call of "${model}" is tried again until it is answered, ${isStream ? 'streamed' : 'whole'}`, async (t) => {
      const { engine, server } = await engineFor(t, { model, retries: 2, random })
      const pieces = await ended(engine, said('one two three'), { isStream })
      assert.match(textOf(pieces), /three/)
      assert.equal(pieces.filter(({ usageMetadata }) => usageMetadata !== undefined).length, 1)
      assert.equal(await requestsOf(server), requests)
    })

test('after the last attempt its failure stands', async (t) => {
  const { engine, server } = await engineFor(t, { model: '503', retries: 2, random })
  assert.match((await failureOf(ended(engine, said('Hi')))).message, /status 503/)
  assert.equal(await requestsOf(server), 3)
})

for (const [model, why] of [
  ['400', 'the request is refused'],
  ['401', 'our key is refused'],
  ['nope', 'there is no such model'],
  ['429', 'the upstream asks for more time than a caller would wait'],
  ['hang', 'an answer is under way, and paid for'],
  ['reset', 'the answer had begun'],
  ['garbage', 'the answer had begun'],
  ['late-error', 'the answer had begun'],
] as const)
  test(`"${model}" is not tried again: ${why}`, async (t) => {
    const timeouts = { firstByteMs: 300 }
    const { engine, server } = await engineFor(t, { model, retries: 3, random, timeouts })
    await failureOf(ended(engine, said('Hi')))
    assert.equal(await requestsOf(server), 1)
  })

test('a caller that leaves between two attempts has none made any more', async (t) => {
  const waitsForHours = (): number => 1e6
  const { engine, server } = await engineFor(t, { model: '503', retries: 1, random: waitsForHours })
  const caller = new AbortController()
  const reason = new Error('gone')
  const answer = assert.rejects(ended(engine, said('Hi'), { signal: caller.signal }), reason)
  await server.reaches(({ requests, answering }) => requests.length === 1 && answering === 0)
  caller.abort(reason)
  await answer
  assert.equal(await requestsOf(server), 1)
})

for (const model of ['500', 'reset', 'reset-early', 'hang'])
  test(`five failures in a row keep every call away for five seconds: "${model}"`, async (t) => {
    let time = 0
    const timeouts = { firstByteMs: 200 }
    const { engine, server } = await engineFor(t, { model, timeouts, now: () => time })
    for (let count = 0; count < 5; count += 1) await failureOf(ended(engine, said('Hi')))
    time = 4999
    const resting = await Promise.all([
      failureOf(ended(engine, said('Hi'))),
      failureOf(engine.countTokens(said('Hi'), callWith())),
      failureOf(engine.embed([{ content: { parts: [{ text: 'a' }] } }], callWith())),
    ])
    for (const { code, reason, retryAfterSeconds } of resting)
      assert.deepEqual([code, reason, retryAfterSeconds], ['unavailable', 'overloaded', 0.001])
    assert.equal(await requestsOf(server), 5)
    time = 5000
    assert.notEqual((await failureOf(ended(engine, said('Hi')))).reason, 'overloaded')
    assert.equal((await failureOf(ended(engine, said('Hi')))).reason, 'overloaded')
    assert.equal(await requestsOf(server), 6)
  })

test('retries count too, and end when no call may come any more', async (t) => {
  const { engine, server } = await engineFor(t, { model: '500', retries: 5, random, now: () => 0 })
  assert.match((await failureOf(ended(engine, said('Hi')))).message, /status 500/)
  assert.equal(await requestsOf(server), 5)
})

test('an answer after the rest lets everybody in again', async (t) => {
  let time = 0
  const { engine } = await engineFor(t, { model: '5x500', now: () => time })
  for (let count = 0; count < 5; count += 1) await failureOf(ended(engine, said('Hi')))
  time = 5000
  await Promise.all([1, 2].map(async () => ended(engine, said('Hi')).catch(() => undefined)))
  for (let count = 0; count < 3; count += 1) assert.match(textOf(await ended(engine, said('Hi'))), /Hi/)
})

test('an operation that a server lacks is said to be missing, and the others go on', async (t) => {
  const server = await startWireServer(t, ({ request, response }) => {
    const isMissing = request.url?.endsWith('/embeddings') === true
    response.writeHead(isMissing ? 501 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isMissing ? { error: { code: 501, message: 'start me otherwise' } } : whole))
  })
  const gateway = await startModelGateway(t, {
    models: [{ name: 'front', engine: 'openai', baseUrl: server.origin, model: 'chat' }],
  })
  const path = '/v1beta/models/front:embedContent'
  for (let count = 0; count < 6; count += 1) {
    const { status, text } = await callModel(gateway, { path, body: '{"content":{"parts":[{"text":"a"}]}}' })
    assert.equal(status, 404)
    assert.match(text, /is not supported for embedContent/)
  }
  assert.equal((await callModel(gateway, { body })).status, 200)
  assert.equal(server.requests.length, 7)
})

const whole = { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }

test('the time that a server asks for is told to the caller', async (t) => {
  const server = await serverFor(t)
  const gateway = await openaiGateway(t, server, { model: '429' })
  const { status, headers, text } = await callModel(gateway, { body })
  assert.deepEqual([status, headers['retry-after']], [429, '7'])
  assert.match(text, /"retryDelay": "7s"/)
})

test('requests that are refused, and callers that leave, keep nobody away', async (t) => {
  const server = await serverFor(t)
  const { engine: refusing } = await engineFor(t, { model: '400', server })
  for (let count = 0; count < 6; count += 1)
    assert.equal((await failureOf(ended(refusing, said('Hi')))).code, 'invalid-request')
  const { engine: endless } = await engineFor(t, { model: 'hang', server })
  for (let count = 0; count < 6; count += 1) {
    const caller = new AbortController()
    const answer = assert.rejects(ended(endless, said('Hi'), { signal: caller.signal }), /gone/)
    await server.reaches(({ answering }) => answering === 1)
    caller.abort(new Error('gone'))
    await answer
    await server.reaches(({ answering }) => answering === 0)
  }
})

async function serverFor(t: TestContext): Promise<OpenaiServer> {
  const server = await startOpenaiServer()
  t.after(() => server[Symbol.asyncDispose]())
  return server
}

async function openaiGateway(t: TestContext, server: OpenaiServer, model: object): Promise<ModelGateway> {
  const front = { name: 'front', engine: 'openai', baseUrl: `${server.origin}/vllm/v1`, ...model }
  const back = { name: 'back', engine: 'openai', baseUrl: `${server.origin}/vllm/v1`, model: 'echo' }
  return startModelGateway(t, { models: [front, back] })
}

const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'one two three' }] }] })

test('the configuration has one retry, and what is used is counted once', async (t) => {
  const server = await serverFor(t)
  const gateway = await openaiGateway(t, server, { model: '1x503' })
  for (let count = 0; count < 2; count += 1) assert.equal((await callModel(gateway, { body })).status, 200)
  const [first, second] = [await gateway.decision(0), await gateway.decision(1)]
  assert.ok(Number(first.tokensOut) > 0)
  assert.deepEqual([first.tokensIn, first.tokensOut], [second.tokensIn, second.tokensOut])
  assert.deepEqual([await requestsOf(server), gateway.decisions.length], [3, 2])
})

test('while a server rests, the fallback is asked at once', async (t) => {
  const server = await serverFor(t)
  const gateway = await openaiGateway(t, server, { model: '500', retries: 0, fallbacks: ['back'] })
  for (let count = 0; count < 7; count += 1) assert.equal((await callModel(gateway, { body })).status, 200)
  const { requests } = await server.reaches(({ answering }) => answering === 0)
  const last = requests.slice(-4).map((request) => request.body.model)
  assert.deepEqual(last, ['500', 'echo', 'echo', 'echo'])
})
