import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertWithin } from '../../test/engines/own-time.ts'
import { geminiEngine, upstreamKey } from '../../test/engines/wire-calls.ts'
import {
  openStream,
  plainAnswer,
  sendPlain,
  startWireServer,
  type WireExchange,
  type WireServer,
} from '../../test/engines/wire-upstream-server.ts'
import { Failure, type FailureCode } from '../failure/failure.ts'
import { collectWire } from './collect-wire.ts'
import type { WireEngine } from './engine.ts'

async function upstream(
  t: TestContext,
  serve: (exchange: WireExchange) => void,
): Promise<{ readonly server: WireServer; readonly engine: WireEngine }> {
  const server = await startWireServer(t, serve)
  const engine = geminiEngine(server.origin)
  t.after(engine.close)
  return { server, engine }
}

function ask(engine: WireEngine, signal: AbortSignal = new AbortController().signal): Promise<unknown> {
  return collectWire(engine, '{"contents":[]}', { signal, requestId: 'req-1' })
}

async function failureOf(asked: Promise<unknown>): Promise<Failure> {
  const error: unknown = await asked.catch((thrown: unknown) => thrown)
  assert.ok(error instanceof Failure, String(error))
  return error
}

test('the body goes out as it is, for a whole answer, which comes back parsed', async (t) => {
  const { server, engine } = await upstream(t, sendPlain)
  assert.deepEqual(await ask(engine), JSON.parse(plainAnswer))
  assert.equal(server.requests[0]?.path, '/v1beta/models/up:generateContent')
  assert.equal(server.requests[0]?.body.toString(), '{"contents":[]}')
})

const secret = 'quota of project 1234567'
const refusals: readonly (readonly [number, string, FailureCode, RegExp])[] = [
  [400, 'INVALID_ARGUMENT', 'invalid-request', /refused the request: .*project/],
  [400, 'FAILED_PRECONDITION', 'invalid-request', /status 400$/],
  [402, 'WHATEVER', 'invalid-request', /status 402$/],
  [403, 'PERMISSION_DENIED', 'unavailable', /did not let the gateway in/],
  [404, 'NOT_FOUND', 'not-found', /ask for another one/],
  [408, 'WHATEVER', 'timeout', /too long/],
  [413, 'WHATEVER', 'too-large', /shorten it/],
  [429, 'RESOURCE_EXHAUSTED', 'limit-exceeded', /try again later/],
  [503, 'UNAVAILABLE', 'unavailable', /status 503; try again later/],
]

for (const [status, kind, code, message] of refusals)
  test(`${status} ${kind} of an upstream is ${code}, and only what is about the request is quoted`, async (t) => {
    const { engine } = await upstream(t, ({ response }) => {
      const error = { code: status, status: kind, message: `${secret}, key ${upstreamKey}` }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    })
    const failure = await failureOf(ask(engine))
    assert.equal(failure.code, code)
    assert.match(failure.message, message)
    assert.ok(!failure.message.includes(upstreamKey))
    if (kind !== 'INVALID_ARGUMENT') assert.ok(!failure.message.includes(secret))
  })

for (const body of ['', 'no json', '"text"', '{"error":{"message":7}}'])
  test(`a refusal in no known words is told by its status: ${JSON.stringify(body)}`, async (t) => {
    const { engine } = await upstream(t, ({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end(body)
    })
    assert.match((await failureOf(ask(engine))).message, /status 400$/)
  })

test('an answer that is no JSON is a fault of the upstream', async (t) => {
  const { engine } = await upstream(t, (exchange) => sendPlain(exchange, '{"candidates":['))
  const { code, reason } = await failureOf(ask(engine))
  assert.deepEqual([code, reason], ['unavailable', 'upstream_garbage'])
})

test('an answer without end is given up, and its connection closed', async (t) => {
  const block = Buffer.alloc(65_536, ' ')
  const { server, engine } = await upstream(t, (exchange) => {
    const response = openStream(exchange)
    const write = (): void => {
      while (!response.destroyed && response.write(block));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
  })
  assert.equal((await failureOf(ask(engine))).code, 'too-large')
  await server.reaches(({ sockets }) => sockets === 0)
})

test('an upstream that is not there is told in words', async () => {
  const engine = geminiEngine('http://127.0.0.1:1')
  const failure = await failureOf(ask(engine))
  assert.deepEqual([failure.code, failure.message], ['unavailable', 'the upstream of front did not answer'])
  await engine.close()
})

test('aborting the signal ends the work upstream within 100 ms', async (t) => {
  const { server, engine } = await upstream(t, () => undefined)
  const abort = new AbortController()
  const asked = failureOf(ask(engine, abort.signal))
  await server.reaches(() => server.requests.length === 1)
  abort.abort()
  const left = server.reaches(({ answering }) => answering === 0)
  await assertWithin(100, Promise.all([asked, left]))
  assert.equal((await asked).reason, 'cancelled')
})

test('a signal that was aborted before costs no request', async (t) => {
  const { server, engine } = await upstream(t, sendPlain)
  assert.equal((await failureOf(ask(engine, AbortSignal.abort()))).reason, 'cancelled')
  assert.equal(server.requests.length, 0)
})
