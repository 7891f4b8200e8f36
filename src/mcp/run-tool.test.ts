import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Type } from 'typebox'
import { legacy, modern } from '../../test/mcp/messages.ts'
import { type ServedOptions, type ServedTools, serveTools } from '../../test/mcp/tool-server.ts'
import { Failure } from '../failure/failure.ts'
import { defineTool, type ToolDefinition } from './define-tool.ts'
import type { ToolResult } from './tool.ts'

const input = Type.Object({})

type Run = ToolDefinition<typeof input, typeof input>['run']

function serveRun(run: Run, options: ServedOptions & { readonly timeoutSeconds?: number } = {}): ServedTools {
  const { timeoutSeconds, ...rest } = options
  const tool = defineTool({
    name: 'tool',
    description: 'A tool.',
    scopes: [],
    input,
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    run,
  })
  return serveTools({ tools: [tool], ...rest })
}

async function callAt({ post }: ServedTools, token = 'ann'): Promise<ToolResult> {
  const { body, options } = modern('tools/call', { name: 'tool' })
  const response = await post(body, { ...options, token })
  assert.equal(response.statusCode, 200, response.body)
  return response.json().result
}

const secret = '/home/someone/secret.ts'
const broken: readonly (readonly [how: string, run: Run])[] = [
  [
    'throws',
    () => {
      throw new Error(secret)
    },
  ],
  [
    'throws something that is no error',
    () => {
      throw secret
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error(secret)
    },
  ],
  [
    'fails for reasons of the server',
    () => {
      throw new Failure('internal', secret)
    },
  ],
  [
    'answers with what is not JSON',
    () => ({ content: [{ type: 'text', text: 'x', annotations: { big: 1n } }] }),
  ],
]
for (const [how, run] of broken)
  test(`a tool that ${how} is an error result without stack or path, and the log has the cause`, async () => {
    const served = serveRun(run)
    const { isError, content } = await callAt(served)
    assert.equal(isError, true)
    assert.match(
      JSON.stringify(content),
      /tool failed; the log of the server has the cause under request id \S+/,
    )
    assert.doesNotMatch(JSON.stringify(content), /secret|\.ts|at /)
    assert.equal(served.lines.filter(({ msg }) => msg === 'a tool failed').length, 1)
  })

test('a failure that a tool words for its caller is passed on', async () => {
  const served = serveRun(() => {
    throw new Failure('not-found', 'there is no note 7; list them first')
  })
  assert.deepEqual(await callAt(served), {
    ...(await callAt(served)),
    content: [{ type: 'text', text: 'there is no note 7; list them first' }],
    isError: true,
  })
})

test('a tool that takes too long is stopped, told so by its signal, and answered as an error', async () => {
  let reason: unknown
  const served = serveRun(
    (_input, { signal }) =>
      new Promise<string>(() => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
        })
      }),
    { timeoutSeconds: 0.05 },
  )
  const { isError, content } = await callAt(served)
  assert.deepEqual(
    [isError, content],
    [true, [{ type: 'text', text: 'tool took longer than 0.05 seconds and was stopped' }]],
  )
  assert.ok(reason instanceof Failure && reason.code === 'timeout')
})

test('a tool that looks at its signal only after its time is over finds it aborted', async () => {
  const late = Promise.withResolvers<boolean>()
  const gate = Promise.withResolvers<void>()
  const served = serveRun(
    async (_input, context) => {
      await gate.promise
      late.resolve(context.signal.aborted)
      return ''
    },
    { timeoutSeconds: 0.05 },
  )
  await callAt(served)
  gate.resolve()
  assert.equal(await late.promise, true)
})

test('an output above the limit becomes an error that names the limit', async () => {
  const settings = '{ outputLimitBytes: 2048 }'
  const within = await callAt(serveRun(() => 'x'.repeat(1900), { settings }))
  const above = await callAt(serveRun(() => 'x'.repeat(2100), { settings }))
  const aboveInBytes = await callAt(serveRun(async () => '€'.repeat(700), { settings }))
  assert.equal(within.isError, undefined)
  for (const { isError, content } of [above, aboveInBytes]) {
    assert.equal(isError, true)
    assert.match(JSON.stringify(content), /larger than 2048 bytes/)
  }
})

test('a principal has only so many calls under way, over all its tokens; others are not held up', async () => {
  const gate = Promise.withResolvers<void>()
  const served = serveRun(() => gate.promise.then(() => 'done'), {
    settings: '{ concurrencyPerPrincipal: 2 }',
  })
  const { body, options } = modern('tools/call', { name: 'tool' })
  const first = [
    served.post(body, { ...options, token: 'ann+a' }),
    served.post(body, { ...options, token: 'ann+b' }),
  ]
  // The two are under way as soon as a third one has been through the whole server.
  await served.post(legacy('ping').body, { token: 'ann+a' })
  const refused = await served.post(body, { ...options, token: 'ann+c' })
  const headers = { ...options.headers, accept: 'text/event-stream' }
  const streamed = await served.post(body, { headers, token: 'ann+d' })
  assert.equal(streamed.statusCode, 429, 'a caller that takes only streams is refused alike')
  const other = served.post(body, { ...options, token: 'ben' })
  assert.deepEqual([refused.statusCode, refused.json().error.code], [429, 429])
  assert.equal(refused.headers['retry-after'], '1')
  gate.resolve()
  for (const response of await Promise.all([...first, other])) assert.equal(response.statusCode, 200)
  assert.equal((await served.post(body, { ...options, token: 'ann+a' })).statusCode, 200)
})

async function listening(served: ServedTools): Promise<string> {
  return `${await served.server.listen({ port: 0, host: '127.0.0.1' })}/mcp`
}

function sent(
  meta: object = {},
  {
    accept = 'application/json, text/event-stream',
    era = modern,
  }: { accept?: string; era?: typeof modern } = {},
): RequestInit {
  const { body, options } = era('tools/call', { name: 'tool', _meta: meta })
  return {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: 'Bearer ann', 'content-type': 'application/json', accept, ...options.headers },
  }
}

for (const [name, era] of [
  ['newer', modern],
  ['older', legacy],
] as const)
  test(`in the ${name} era progress comes as events under the caller's token, then the result, then the end`, async () => {
    const served = serveRun(async (_input, { progress }) => {
      progress(0, 100)
      progress(50, 100, 'half')
      progress(50, 100, 'not more')
      progress(Number.NaN)
      progress(100, 100)
      return 'done'
    })
    const response = await fetch(await listening(served), sent({ progressToken: 'p-1' }, { era }))
    const events = (await response.text()).split('\n\n').filter(Boolean)
    await served.server.close()
    assert.equal(response.headers.get('content-type'), 'text/event-stream')
    assert.equal(response.headers.get('x-accel-buffering'), 'no')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    const messages = events.map((event) => JSON.parse(event.replace('event: message\ndata: ', '')))
    assert.deepEqual(messages.slice(0, -1), [
      progressOf({ progress: 0, total: 100 }),
      progressOf({ progress: 50, total: 100, message: 'half' }),
      progressOf({ progress: 100, total: 100 }),
    ])
    assert.deepEqual([messages.at(-1).id, messages.at(-1).result.content[0].text], [1, 'done'])
  })

function progressOf(params: object): object {
  return { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'p-1', ...params } }
}

test('without a progress token, or without a stream to send it on, the answer is a plain body', async () => {
  const served = serveRun((_input, { progress }) => {
    progress(1)
    return 'done'
  })
  const url = await listening(served)
  const { body, ...rest } = sent({ progressToken: 999 })
  const huge = { ...rest, body: typeof body === 'string' ? body.replace('999', '1e999') : '' }
  for (const init of [sent(), huge, sent({ progressToken: 1 }, { accept: 'application/json' })]) {
    const response = await fetch(url, init)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.match(await response.text(), /"done"/)
  }
  await served.server.close()
})

test('a caller that reads streams only gets every answer as one', async () => {
  const served = serveRun(() => 'done')
  const url = await listening(served)
  const called = await fetch(url, sent({}, { accept: 'text/event-stream' }))
  assert.match(
    await called.text(),
    /^event: message\ndata: \{"jsonrpc":"2.0","id":1,"result":.*"done".*\n\n$/,
  )
  const { body, options } = modern('tools/list')
  const listed = await fetch(url, {
    ...sent({}, { accept: 'text/event-stream' }),
    body: JSON.stringify(body),
    headers: {
      authorization: 'Bearer ann',
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...options.headers,
    },
  })
  assert.match(await listed.text(), /^event: message\ndata: .*"tools":\[/)
  await served.server.close()
})

for (const [what, meta] of [
  ['before the answer', {}],
  ['in the middle of a stream', { progressToken: 7 }],
] as const)
  test(`a caller that hangs up ${what} cancels the tool, and the decision says so`, async () => {
    const started = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<unknown>()
    const served = serveRun(async (_input, { signal, progress }) => {
      progress(1)
      signal.addEventListener('abort', () => aborted.resolve(signal.reason))
      started.resolve()
      await once(signal, 'abort')
      progress(2)
      return 'too late'
    })
    const hangUp = new AbortController()
    const call = fetch(await listening(served), { ...sent(meta), signal: hangUp.signal })
    await started.promise
    hangUp.abort()
    await assert.rejects(async () => (await call).text())
    const reason = await aborted.promise
    assert.ok(reason instanceof DOMException && reason.name === 'AbortError')
    await served.server.close()
    assert.deepEqual(
      served.decisions.map(({ reason: why, status }) => [why, status]),
      [['cancelled', 499]],
    )
  })

test('a tool that finishes is not told that it was cancelled', async () => {
  let signal: AbortSignal | undefined
  const served = serveRun(async (_input, context) => {
    signal = context.signal
    return 'done'
  })
  await (await fetch(await listening(served), sent())).text()
  await served.server.close()
  assert.equal(signal?.aborted, false)
})

test('a tool gets no way to the token of its caller', async () => {
  const served = serveRun((_input, context) => {
    const seen = JSON.stringify([context, Object.keys(context), context.principal])
    return seen.includes('top-secret-token') ? 'leaked' : 'nothing'
  })
  const { content } = await callAt(served, 'ann')
  assert.deepEqual(content, [{ type: 'text', text: 'nothing' }])
})
