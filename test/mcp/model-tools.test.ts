import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { parseConfig } from '../../src/config/parse-config.ts'
import { startGateway } from '../../src/gateway/start-gateway.ts'
import { startLocalIssuer } from '../auth/local-issuer.ts'
import { assertWithin } from '../engines/own-time.ts'
import { wireModel } from '../engines/wire-gateway.ts'
import { sendError, sendPlain, startWireServer, type WireExchange } from '../engines/wire-upstream-server.ts'
import { freePort } from '../free-port.ts'
import { recordingLog } from '../serving/plain-server.ts'
import { legacy } from './messages.ts'

interface ModelHouse {
  /** Calls a tool with a token of these scopes. */
  readonly call: (name: string, input: object, more?: CallOptions) => Promise<Response>
  /** The result of such a call. */
  readonly result: (name: string, input: object, scope?: string) => Promise<CallResult>
  readonly toolNames: () => Promise<readonly string[]>
  readonly lines: readonly Readonly<Record<string, unknown>>[]
}

interface CallOptions {
  readonly scope?: string
  readonly signal?: AbortSignal
  readonly progressToken?: string
}

interface CallResult {
  readonly isError?: boolean
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent: Readonly<Record<string, unknown>>
}

const bothScopes = { echo: ['demo:echo'], generate_text: ['models:use'], list_models: ['models:list'] }

/** The gateway as `postern serve` starts it, with these models and scopes of the built-in tools. */
async function startModelHouse(
  t: TestContext,
  settings: { readonly models: readonly object[]; readonly scopes: object },
): Promise<ModelHouse> {
  const { log, lines } = recordingLog()
  const port = await freePort()
  const publicUrl = `http://127.0.0.1:${port}`
  const issuer = await startLocalIssuer({ audience: `${publicUrl}/mcp` })
  t.after(issuer.stop)
  const text = JSON.stringify({
    server: { port, publicUrl },
    store: 'sqlite::memory:',
    issuers: [{ issuer: issuer.issuer }],
    models: settings.models,
    aliases: { 'gemini-*': 'tiny' },
    tools: { sources: [{ kind: 'builtin', scopes: settings.scopes }] },
  })
  const config = parseConfig(text, { file: 'test', env: {} })
  const { gateway, url } = await startGateway({ config, log, directory: '.' })
  t.after(() => gateway.stop())

  async function post(method: string, params: Readonly<Record<string, unknown>>, more: CallOptions = {}) {
    const { body, options } = legacy(method, params)
    return fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        ...options.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${issuer.token({ scope: more.scope ?? 'models:use models:list' })}`,
      },
      body: JSON.stringify(body),
      signal: more.signal ?? null,
    })
  }

  const call: ModelHouse['call'] = (name, input, more = {}) => {
    const meta = more.progressToken === undefined ? {} : { _meta: { progressToken: more.progressToken } }
    return post('tools/call', { name, arguments: input, ...meta }, more)
  }
  return {
    call,
    lines,
    result: async (name, input, scope) => {
      const answer = await call(name, input, scope === undefined ? {} : { scope })
      assert.equal(answer.status, 200)
      return Object(await answer.json()).result
    },
    toolNames: async () => {
      const { tools } = Object(await (await post('tools/list', {})).json()).result
      return tools.map(({ name }: { readonly name: string }) => name)
    },
  }
}

const story = { name: 'tiny', engine: 'story' }

test('an agent has the embedded model write a text, under its name or an alias', async (t) => {
  const { result } = await startModelHouse(t, { models: [story], scopes: bothScopes })
  for (const model of ['tiny', 'gemini-3.5-flash']) {
    const input = { model, prompt: 'Once upon a time', maxOutputTokens: 4 }
    const { structuredContent, isError } = await result('generate_text', input)
    const { text, ...rest } = structuredContent
    assert.match(String(text), /\w/)
    assert.deepEqual(rest, { model: 'tiny', finishReason: 'MAX_TOKENS', tokensIn: 5, tokensOut: 4 })
    assert.equal(isError, undefined)
  }
  assert.deepEqual((await result('list_models', {})).structuredContent, {
    models: [{ name: 'tiny', version: 'stories15M', inputTokenLimit: 192, outputTokenLimit: 255 }],
  })
})

test('a token that was meant for other tools is refused, and the challenge names what is missing', async (t) => {
  const { call, result } = await startModelHouse(t, { models: [story], scopes: bothScopes })
  const scope = 'demo:echo'
  const refused = await call('generate_text', { model: 'tiny', prompt: 'a' }, { scope })
  assert.equal(refused.status, 403)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  assert.match(challenge, /error="insufficient_scope"/)
  assert.match(challenge, /scope="models:use"/)
  assert.equal((await call('list_models', {}, { scope })).status, 403)
  assert.equal((await result('echo', { text: 'hi' }, scope)).content[0]?.text, 'hi')
})

test('without scopes of their own the tools that cost are not there at all', async (t) => {
  const scopes = { echo: ['demo:echo'] }
  const { call, toolNames } = await startModelHouse(t, { models: [story], scopes })
  assert.deepEqual(await toolNames(), ['echo', 'time'])
  const answer = await call('generate_text', { model: 'tiny', prompt: 'a' })
  assert.equal(Object(await answer.json()).error.code, -32602)
})

test('scopes for them without a model keep the gateway from starting', async () => {
  const { log } = recordingLog()
  const text = JSON.stringify({
    store: 'sqlite::memory:',
    issuers: [{ issuer: 'https://login.example' }],
    tools: { sources: [{ kind: 'builtin', scopes: bothScopes }] },
  })
  const config = parseConfig(text, { file: 'test', env: {} })
  await assert.rejects(startGateway({ config, log, directory: '.' }), {
    code: 'misconfigured',
    message: /generate_text, list_models, which needs a model/,
  })
})

test('what goes wrong with a model is told in words', async (t) => {
  const refuse = (exchange: WireExchange): void => {
    if (exchange.body.includes('blocked'))
      sendPlain(exchange, JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } }))
    else sendError(exchange, exchange.body.includes('busy') ? 429 : 500)
  }
  const { origin } = await startWireServer(t, refuse)
  const { result, lines } = await startModelHouse(t, {
    models: [story, wireModel(origin, { retries: 0 })],
    scopes: bothScopes,
  })
  for (const [model, prompt, words] of [
    ['nano', 'a', 'there is no model "nano" that writes text; list_models tells which there are'],
    ['front', 'blocked', 'the model does not answer this prompt: SAFETY; change the prompt'],
    ['front', 'busy', 'the model takes no more requests at the moment; try again later'],
    ['front', 'down', 'the upstream of the model failed with status 500; try again later'],
  ] as const) {
    const { isError, content } = await result('generate_text', { model, prompt })
    assert.deepEqual([isError, content[0]?.text], [true, words])
  }
  const faults = lines.filter(({ msg }) => msg === 'a model did not answer a tool')
  assert.deepEqual(
    faults.map(({ model }) => model),
    ['front', 'front'],
  )
})

test('a caller that hangs up ends the work upstream within 100 ms', async (t) => {
  const server = await startWireServer(t, () => undefined)
  const { call } = await startModelHouse(t, {
    models: [story, wireModel(server.origin)],
    scopes: bothScopes,
  })
  const abort = new AbortController()
  const asked = call('generate_text', { model: 'front', prompt: 'a' }, { signal: abort.signal })
  await server.reaches(() => server.requests.length === 1)
  abort.abort()
  const refused = assert.rejects(asked, { name: 'AbortError' })
  await assertWithin(100, Promise.all([refused, server.reaches(({ answering }) => answering === 0)]))
})

test('a caller that asks for progress hears how the text grows', async (t) => {
  const { call } = await startModelHouse(t, { models: [story], scopes: bothScopes })
  const input = { model: 'tiny', prompt: 'Once upon a time', maxOutputTokens: 20 }
  const answer = await call('generate_text', input, { progressToken: 'p-1' })
  assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
  const text = await answer.text()
  assert.match(text, /"progressToken":"p-1","progress":\d+,"message":"\d+ characters so far"/)
  assert.match(text, /"finishReason":"MAX_TOKENS"/)
})
