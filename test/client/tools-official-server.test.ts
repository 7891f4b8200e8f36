import assert from 'node:assert/strict'
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

type Behaviour = Parameters<typeof startUpstream>[0] & Parameters<typeof startUpstream>[1]

async function running(
  behaviour: NonNullable<Behaviour>,
): Promise<AsyncDisposable & { readonly url: string; readonly server: UpstreamServer }> {
  const server = await startUpstream(behaviour, behaviour)
  return { url: server.url, server, [Symbol.asyncDispose]: () => server.stop() }
}
