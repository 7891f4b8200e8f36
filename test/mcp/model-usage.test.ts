import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Decision } from '../../src/auth/decision.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { Failure } from '../../src/failure/failure.ts'
import { createTextModels } from '../../src/gateway/text-models.ts'
import type { Limiter } from '../../src/limits/limiter.ts'
import { modelTools } from '../../src/mcp/source-builtin-models.ts'
import { createModelTable } from '../../src/model-api/model-table.ts'
import { createTokenCodec } from '../../src/paging/token-codec.ts'
import { createWaitingEngine } from '../model-api/waiting-engine.ts'
import { createWordEngine } from '../model-api/word-engine.ts'
import { recordingLog } from '../serving/plain-server.ts'
import { legacy } from './messages.ts'
import { type ServedTools, serveTools } from './tool-server.ts'

interface Serving {
  readonly served: ServedTools
  /** The tokens of each charge. */
  readonly charged: readonly number[]
  readonly decided: Promise<Decision | undefined>
}

interface Choice {
  readonly fallbacks?: readonly Engine[]
  readonly settings?: string
}

/** The tool server with `generate_text` over this engine. */
function serveModel(engine: Engine, { fallbacks = [], settings = '{}' }: Choice = {}): Serving {
  const charged: number[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const limits: Pick<Limiter, 'target' | 'spend'> = {
    target: () => undefined,
    spend: (_principal, _target, tokens) => void charged.push(tokens),
  }
  const tokens = createTokenCodec({ secrets: ['a secret of the tests, 32 characters'] })
  const models = createModelTable([{ name: 'tiny', engine, fallbacks }], {})
  const texts = createTextModels({ models, tokens }, { log: recordingLog().log, limits })
  const served: ServedTools = serveTools({
    tools: modelTools({ models: texts, scopes: { '*': [] } }),
    settings,
    recorded: () => {
      resolve()
      return undefined
    },
  })
  return { served, charged, decided: promise.then(() => served.decisions[0]) }
}

const { body, options } = legacy('tools/call', {
  name: 'generate_text',
  arguments: { model: 'tiny', prompt: 'a b' },
})

/** What was read of a text that was cut off is charged as a guess, and not recorded: a token, for this prompt. */
async function assertUsed(
  { served, charged, decided }: Serving,
  used: readonly number[],
  guessed = 0,
): Promise<void> {
  const decision = await decided
  assert.deepEqual([decision?.tokensIn, decision?.tokensOut], used)
  assert.equal(
    charged.reduce((sum, tokens) => sum + tokens, 0),
    used.reduce((sum, tokens) => sum + tokens, guessed),
  )
  assert.equal(served.decisions.length, 1)
}

test('a text is charged and recorded once', async () => {
  const serving = serveModel(createWordEngine())
  assert.equal((await serving.served.post(body, options)).json().result.isError, undefined)
  await assertUsed(serving, [2, 2])
  assert.equal(serving.charged.length, 1)
})

test('a text that breaks off is charged and recorded as far as it came', async () => {
  const fails = new Failure('unavailable', 'it broke')
  const serving = serveModel(createWaitingEngine({ pieces: 3, fails }))
  assert.equal((await serving.served.post(body, options)).json().result.isError, true)
  await assertUsed(serving, [0, 3], 1)
})

test('what broke off is charged and recorded beside what another model wrote', async () => {
  const fails = new Failure('unavailable', 'it broke')
  const serving = serveModel(createWaitingEngine({ pieces: 3, fails }), {
    fallbacks: [createWordEngine()],
  })
  assert.equal((await serving.served.post(body, options)).json().result.isError, undefined)
  await assertUsed(serving, [2, 5], 1)
})

test('a text that takes too long is charged and recorded as far as it came', async () => {
  const engine = createWaitingEngine({ pieces: 4 })
  const serving = serveModel(engine, { settings: '{ timeoutSeconds: 1 }' })
  const { result } = (await serving.served.post(body, options)).json()
  assert.match(JSON.stringify(result), /took longer than 1 seconds and was stopped/)
  await engine.stopped
  await assertUsed(serving, [0, 4], 1)
  assert.deepEqual(serving.charged, [5])
})

test('a text that nobody waits for is charged and recorded as far as it came', async (t) => {
  const engine = createWaitingEngine({ pieces: 5 })
  const serving = serveModel(engine)
  const caller = new AbortController()
  const asked = fetch(`${await listening(t, serving.served)}/mcp`, {
    method: 'POST',
    headers: {
      ...options.headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: 'Bearer alice',
    },
    body: JSON.stringify(body),
    signal: caller.signal,
  })
  await engine.began
  caller.abort()
  await assert.rejects(asked, { name: 'AbortError' })
  await engine.stopped
  await assertUsed(serving, [0, 5], 1)
  assert.deepEqual([(await serving.decided)?.status, serving.charged], [499, [6]])
})

async function listening(t: TestContext, { server }: ServedTools): Promise<string> {
  const address = await server.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => server.close())
  return address
}
