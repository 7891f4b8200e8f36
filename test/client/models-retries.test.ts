import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { test } from 'node:test'
import type { ModelClient } from '../../src/client/models/create-model-client.ts'
import { modelClient } from '../../src/client/models/model-client.ts'
import type { ModelClientOptions } from '../../src/client/models/model-client-options.ts'
import { ModelError } from '../../src/client/models/model-error.ts'
import { type AnsweringServer, startAnsweringServer } from './answering-server.ts'
import { isClientError } from './client-error-check.ts'
import { drain } from './cut-list.ts'

const apiKey = 'a-key-of-the-tests'
const good = { candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] } }] }

interface Setting extends AsyncDisposable {
  readonly client: ModelClient
  readonly server: AnsweringServer
  /** How long the client waited before each further try. */
  readonly waits: number[]
}

/** A server that answers in these ways, one after the other and then with the last. */
async function setUp(answers: readonly Answer[], options: ModelClientOptions = {}): Promise<Setting> {
  let count = 0
  const server = await startAnsweringServer((request, response) => {
    const answer = answers[Math.min(count, answers.length - 1)]
    count += 1
    answer?.(response, request)
    return undefined
  })
  const waits: number[] = []
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms)
  }
  const client = modelClient({
    apiKey,
    baseUrl: new URL('/', server.url),
    retries: { random: () => 0, wait },
    ...options,
  })
  return { client, server, waits, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

function failure(code: number, status: string, retryDelay?: string): unknown {
  const details =
    retryDelay === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]
  return { error: { code, status, message: 'not now', details } }
}

const busy = json(503, failure(503, 'UNAVAILABLE'))

function events(...bodies: readonly unknown[]): Answer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(bodies.map((body) => `data: ${JSON.stringify(body)}\r\n\r\n`).join(''))
  }
}

test('429 and 503 are tried again, as late as the server asks', async () => {
  const exhausted = json(429, failure(429, 'RESOURCE_EXHAUSTED', '1.5s'))
  const headed = json(503, failure(503, 'UNAVAILABLE'), { 'retry-after': '4' })
  await using setting = await setUp([exhausted, headed, busy, json(200, good)])
  assert.equal((await setting.client.generate('tiny', 'hi')).text, 'hello')
  assert.deepEqual(setting.waits, [1500, 4000, 0])
})

test('tries are bounded, and the error says when to come back', async () => {
  await using setting = await setUp([json(429, failure(429, 'RESOURCE_EXHAUSTED', '2s'))])
  await assert.rejects(setting.client.generate('tiny', 'hi'), (error: unknown) => {
    assert.ok(error instanceof ModelError)
    assert.deepEqual([error.code, error.status, error.retryAfterMs], ['RESOURCE_EXHAUSTED', 429, 2000])
    return true
  })
  assert.equal(setting.server.requests.length, 4)
})

test('who is asked to stay away for long gets the error at once', async () => {
  await using setting = await setUp([json(429, failure(429, 'RESOURCE_EXHAUSTED', '3600s'))])
  await assert.rejects(setting.client.generate('tiny', 'hi'), isClientError('RESOURCE_EXHAUSTED'))
  assert.deepEqual([setting.server.requests.length, setting.waits], [1, []])
})

for (const [status, word] of [
  [400, 'INVALID_ARGUMENT'],
  [403, 'PERMISSION_DENIED'],
  [500, 'INTERNAL'],
] as const)
  test(`${status} is not tried again`, async () => {
    await using setting = await setUp([json(status, failure(status, word))])
    await assert.rejects(setting.client.generate('tiny', 'hi'), isClientError(word))
    assert.equal(setting.server.requests.length, 1)
  })

test('a list is tried again too', async () => {
  await using setting = await setUp([busy, json(200, { models: [{ name: 'models/tiny' }] })])
  assert.deepEqual(await drain(setting.client.models()), [{ name: 'models/tiny' }])
})

test('a stream is tried again before its first byte', async () => {
  await using setting = await setUp([busy, events(good)])
  assert.deepEqual(
    (await drain(setting.client.stream('tiny', 'hi'))).map(({ text }) => text),
    ['hello'],
  )
})

test('a stream is never tried again after its first byte', async () => {
  await using setting = await setUp([events(good, failure(503, 'UNAVAILABLE', '1s')), events(good)])
  const texts: string[] = []
  await assert.rejects(
    async () => {
      for await (const { text } of setting.client.stream('tiny', 'hi')) texts.push(text)
    },
    (error: unknown) => {
      assert.ok(error instanceof ModelError)
      assert.deepEqual([error.code, error.status, error.retryAfterMs], ['UNAVAILABLE', 503, 1000])
      return true
    },
  )
  assert.deepEqual([texts, setting.server.requests.length], [['hello'], 1])
})

test('a stream that breaks off is an error and not an end', async () => {
  const cut: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '1000' })
    response.write(`data: ${JSON.stringify(good)}\n\n`, () => response.destroy())
  }
  await using setting = await setUp([cut])
  await assert.rejects(drain(setting.client.stream('tiny', 'hi')), isClientError('network'))
})

test('an answer that is no stream is told from one', async () => {
  await using setting = await setUp([json(200, [good])])
  await assert.rejects(drain(setting.client.stream('tiny', 'hi')), isClientError('unexpected_body'))
})

test('a redirect is refused, and the key stays here', async () => {
  await using elsewhere = await startAnsweringServer(() => good)
  const redirect: Answer = (response) => response.writeHead(307, { location: elsewhere.url }).end()
  await using setting = await setUp([redirect])
  await assert.rejects(setting.client.generate('tiny', 'hi'), isClientError('redirected'))
  assert.deepEqual(elsewhere.requests, [])
})

test('a server that quotes the key does not get it into a message', async () => {
  const quoting: Answer = (response, request) =>
    json(400, {
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: `bad ${String(request.headers['x-goog-api-key'])}`,
      },
    })(response, request)
  await using setting = await setUp([quoting])
  await assert.rejects(setting.client.generate('tiny', 'hi'), (error: unknown) => {
    assert.match(String(error), /bad \[redacted\]/)
    assert.ok(!String(error).includes(apiKey))
    return true
  })
})

for (const [claim, answer, code] of [
  [
    'an answer of the wrong shape',
    json(200, { candidates: [{ content: { parts: 'x' } }] }),
    'unexpected_body',
  ],
  ['an answer that is not JSON', (response: ServerResponse) => response.end('<html>'), 'not_json'],
  ['an answer that is too long', json(200, { ...good, more: 'x'.repeat(2000) }), 'too_large'],
  ['no answer', (response: ServerResponse) => response.destroy(), 'network'],
] as const)
  test(`${claim} is a ClientError`, async () => {
    await using setting = await setUp([answer], { maxBytes: 1000 })
    await assert.rejects(setting.client.generate('tiny', 'hi'), isClientError(code))
  })

test('a call ends with its signal, also while it waits for another try', async () => {
  const stopping = new AbortController()
  const wait = (_ms: number, signal: AbortSignal | undefined): Promise<void> => {
    stopping.abort(new Error('enough'))
    return Promise.reject(signal?.reason)
  }
  await using setting = await setUp([busy], { retries: { wait } })
  const { signal } = stopping
  await assert.rejects(setting.client.generate('tiny', 'hi', { signal }), /enough/)
  await assert.rejects(drain(setting.client.stream('tiny', 'hi', { signal })), /enough/)
})

test('another vendor has another header', async () => {
  const seen: unknown[] = []
  const look: Answer = (response, request) => {
    seen.push(request.headers['x-acme-api-key'], request.headers['x-goog-api-key'])
    json(200, good)(response, request)
  }
  await using setting = await setUp([look], { vendor: 'acme' })
  await setting.client.generate('tiny', 'hi')
  assert.deepEqual(seen, [apiKey, undefined])
})

test('a token is asked for before each call', async () => {
  const seen: unknown[] = []
  const look: Answer = (response, request) => {
    seen.push(request.headers.authorization)
    json(200, good)(response, request)
  }
  let count = 0
  const accessToken = async (): Promise<string> => {
    count += 1
    return `token-${count}`
  }
  await using server = await setUp([look], { apiKey: undefined, accessToken })
  await server.client.generate('tiny', 'hi')
  await server.client.generate('tiny', 'hi')
  assert.deepEqual(seen, ['Bearer token-1', 'Bearer token-2'])
})

test('a call ends with its signal while it waits for a token', async () => {
  const accessToken = (): Promise<string> => new Promise(() => undefined)
  await using setting = await setUp([json(200, good)], { apiKey: undefined, accessToken })
  const signal = AbortSignal.abort(new Error('enough'))
  await assert.rejects(setting.client.generate('tiny', 'hi', { signal }), /enough/)
  const stopping = new AbortController()
  const answering = setting.client.generate('tiny', 'hi', { signal: stopping.signal })
  stopping.abort(new Error('enough'))
  await assert.rejects(answering, /enough/)
  assert.equal(setting.server.requests.length, 0)
})
