import assert from 'node:assert/strict'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { ClientError } from '../../src/client/client-error.ts'
import { connectTools } from '../../src/client/tools/connect-tools.ts'
import type { Progress } from '../../src/client/tools/tool.ts'
import { startUpstream, toolNamed, type UpstreamServer } from '../mcp/upstream-server.ts'
import { startAnsweringServer } from './answering-server.ts'
import { isClientError } from './client-error-check.ts'
import { drain } from './cut-list.ts'

const eras = [
  ['a server of both eras', {}, '2026-07-28'],
  ['a server of the older era', { legacyOnly: true }, '2025-11-25'],
  ['a server with sessions', { sessions: true }, '2025-11-25'],
] as const

for (const [what, options, revision] of eras) {
  test(`${what}: every page of the list is walked, a call is answered, and its progress is heard`, async () => {
    await using upstream = await running({
      ...options,
      pages: [[toolNamed('one')], [], [toolNamed('two', { title: 'Two' })]],
      call: async (name, input, { progress }) => {
        await progress(1)
        await progress(2)
        return { content: [{ type: 'text', text: `${name} ${JSON.stringify(input)}` }] }
      },
    })
    const tools = await connectTools(upstream.url)
    assert.deepEqual(tools.server, { name: 'upstream', version: '1', revision })
    assert.deepEqual(
      (await drain(tools.list())).map(({ name, title }) => [name, title]),
      [
        ['one', undefined],
        ['two', 'Two'],
      ],
    )
    const heard: Progress[] = []
    const result = await tools.call('two', { a: 1 }, { onProgress: (progress) => void heard.push(progress) })
    assert.deepEqual(result, { content: [{ type: 'text', text: 'two {"a":1}' }], isError: false })
    assert.deepEqual(heard, [
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ])
    await tools.close()
  })

  test(`${what}: a call that is aborted rejects with the reason, and the server is told`, async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    await using upstream = await running({
      ...options,
      call: (_name, _input, { signal }) => {
        signal.addEventListener('abort', () => stop())
        begin()
        return stopped.then(() => ({ content: [] }))
      },
    })
    const tools = await connectTools(upstream.url)
    const aborting = new AbortController()
    const call = tools.call('echo', {}, { signal: aborting.signal })
    await begun
    aborting.abort(new Error('enough'))
    await assert.rejects(call, /enough/)
    // A server without sessions cannot be told in the older era: it has forgotten the call.
    if (!('legacyOnly' in options)) await stopped
    else stop()
    await tools.close()
  })
}

test('what the tool itself says is wrong is a result', async () => {
  await using upstream = await running({
    call: () => ({ content: [{ type: 'text', text: 'no such note' }], isError: true }),
  })
  const tools = await connectTools(upstream.url)
  assert.deepEqual(await tools.call('echo'), {
    content: [{ type: 'text', text: 'no such note' }],
    isError: true,
  })
  await tools.close()
})

test('what the server refuses is an error with its code and words', async () => {
  await using upstream = await running({
    call: () => {
      throw Object.assign(new Error('bad\u001b[2J input'), { code: -32602 })
    },
  })
  const tools = await connectTools(upstream.url)
  await assert.rejects(tools.call('echo'), (error: unknown) => {
    assert.ok(error instanceof ClientError)
    assert.deepEqual([error.code, error.reason], ['invalid_params', '-32602'])
    assert.equal(error.message, 'could not call echo: bad [2J input')
    return true
  })
  await tools.close()
})

test('structured content that is not what the tool promises is refused', async () => {
  const outputSchema = { type: 'object' as const, properties: { n: { type: 'number' } }, required: ['n'] }
  await using upstream = await running({
    pages: [[toolNamed('echo', { outputSchema })]],
    call: () => ({ content: [], structuredContent: { n: 'one' } }),
  })
  const tools = await connectTools(upstream.url)
  await drain(tools.list())
  await assert.rejects(tools.call('echo'), /does not match the tool's output schema/)
  await tools.close()
})

test('a parameter that its schema wants in a header is sent there too, once the tool was listed', async () => {
  const properties = { region: { type: 'string', 'x-mcp-header': 'Region' } }
  await using upstream = await running({
    pages: [[toolNamed('echo', { inputSchema: { type: 'object', properties } })]],
  })
  const tools = await connectTools(upstream.url)
  await drain(tools.list())
  await tools.call('echo', { region: 'north' })
  assert.equal(upstream.server.requests.at(-1)?.headers['mcp-param-region'], 'north')
  await tools.close()
})

test('a server whose cursor comes back is not walked for ever', async () => {
  await using upstream = await running({ nextCursor: () => '0-again' })
  const tools = await connectTools(upstream.url)
  await assert.rejects(drain(tools.list()), isClientError('repeated_cursor', '0-again'))
  await tools.close()
})

test('a server that is gone is a network error, at the start and later', async () => {
  await using upstream = await running({})
  const tools = await connectTools(upstream.url)
  await upstream.server.stop()
  await assert.rejects(tools.call('echo'), isClientError('network'))
  await assert.rejects(drain(tools.list()), isClientError('network', null))
  await assert.rejects(connectTools(upstream.url), isClientError('network'))
  await tools.close()
})

for (const [what, end] of [
  ['ends', (response: ServerResponse) => void response.end()],
  ['breaks', (response: ServerResponse) => void response.destroy()],
] as const)
  test(`a call whose stream ${what} before the answer is a network error, and the next one is answered`, async () => {
    let isCut = true
    await using server = await startAnsweringServer((request, response) => {
      void streamAnswer(request, response, () => (isCut ? end : undefined))
    })
    const tools = await connectTools(server.url)
    await assert.rejects(tools.call('echo', {}, { onProgress: () => {} }), isClientError('network'))
    await assert.rejects(drain(tools.list()), isClientError('network', null))
    isCut = false
    assert.deepEqual(await tools.call('echo'), { content: [], isError: false })
    await tools.close()
  })

test('a server that has forgotten the session gets a new one, and the calls once more in it', async () => {
  await using upstream = await running({ sessions: true })
  const tools = await connectTools(upstream.url)
  await tools.call('echo')
  upstream.server.forgetSessions()
  const results = await Promise.all([tools.call('echo', { n: 1 }), tools.call('echo', { n: 2 })])
  assert.deepEqual(
    results.map(({ content }) => content[0]?.text),
    ['echo {"n":1}', 'echo {"n":2}'],
  )
  upstream.server.forgetSessions()
  assert.deepEqual(
    (await drain(tools.list())).map(({ name }) => name),
    ['echo'],
  )
  const bodies = upstream.server.requests.map(({ body }) => body)
  assert.equal(bodies.filter((body) => body.includes('"initialize"')).length, 3)
  await tools.close()
})

test('a server that gives no session for long is asked once more, not for ever', async () => {
  await using upstream = await running({
    sessions: true,
    call: () => {
      throw new Error('nobody gets so far')
    },
  })
  const tools = await connectTools(upstream.url, {
    fetch: async (input, init) => {
      if (JSON.stringify(init?.body)?.includes('tools/call')) upstream.server.forgetSessions()
      return fetch(input, init)
    },
  })
  await assert.rejects(tools.call('echo'), isClientError('http_404'))
  await tools.close()
})

test('closing waits for no session that is only being made', async () => {
  await using upstream = await running({ sessions: true })
  const asked = Promise.withResolvers<void>()
  let isSilent = false
  const tools = await connectTools(upstream.url, {
    fetch: async (input, init) => {
      if (!isSilent || !JSON.stringify(init?.body)?.includes('initialize')) return fetch(input, init)
      asked.resolve()
      return new Promise<never>(() => {})
    },
  })
  isSilent = true
  upstream.server.forgetSessions()
  const call = assert.rejects(tools.call('echo'))
  await asked.promise
  await tools.close()
  await call
})

test('a redirect is not followed, whoever it leads to', async () => {
  await using upstream = await running({})
  await using away = await startAnsweringServer((_request, response) => {
    response.writeHead(308, { location: upstream.url }).end()
  })
  await assert.rejects(connectTools(away.url), isClientError('redirected'))
  assert.equal(upstream.server.requests.length, 0)
})

test('a page that is no tool server is an error, not a connection', async () => {
  await using page = await startAnsweringServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<html>')
  })
  await assert.rejects(connectTools(page.url), ClientError)
})

test('plain http to another machine is refused', async () => {
  await assert.rejects(connectTools('http://tools.example/mcp'), isClientError('insecure_url'))
})

test('connecting ends when the signal does', async () => {
  const stop = new AbortController()
  await using silent = await startAnsweringServer(() => {
    stop.abort(new Error('enough'))
    return undefined
  })
  await assert.rejects(connectTools(silent.url, { signal: stop.signal }), /enough/)
})

/** A server of the older era that answers with streams; `cut` is what happens to them in place of an answer. */
async function streamAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  cut: () => ((response: ServerResponse) => void) | undefined,
): Promise<void> {
  const { id, method } = Object(JSON.parse((await text(request)) || '{}'))
  if (id === undefined || method === 'server/discover') {
    response.writeHead(id === undefined ? 202 : 404).end()
    return
  }
  const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const end = method === 'initialize' ? undefined : cut()
  if (end === undefined) {
    const serverInfo = { name: 'cutting', version: '1' }
    const start = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }
    response.end(event({ id, result: method === 'initialize' ? start : { content: [] } }))
  } else {
    const params = { progressToken: id, progress: 1 }
    response.write(event({ method: 'notifications/progress', params }), () => end(response))
  }
}

type Behaviour = Parameters<typeof startUpstream>[0] & Parameters<typeof startUpstream>[1]

async function running(
  behaviour: NonNullable<Behaviour>,
): Promise<AsyncDisposable & { readonly url: string; readonly server: UpstreamServer }> {
  const server = await startUpstream(behaviour, behaviour)
  return { url: server.url, server, [Symbol.asyncDispose]: () => server.stop() }
}
