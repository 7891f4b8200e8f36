import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type TestContext, test } from 'node:test'
import { link, namesOf } from '../../test/mcp/linked-upstream.ts'
import { callTool, textOf } from '../../test/mcp/tool-call.ts'
import { toolNamed, type UpstreamBehaviour } from '../../test/mcp/upstream-server.ts'
import { Failure } from '../failure/failure.ts'
import { createLog } from '../log/log.ts'
import { upstreamSource } from './source-upstream.ts'

const eras = [
  ['2026-07-28', {}],
  ['2025-11-25', { legacyOnly: true }],
  ['2025-11-25 with sessions', { sessions: true }],
] as const

for (const [era, options] of eras) {
  test(`every page of the list is read, names have a prefix (${era})`, async (t) => {
    const pages = [[toolNamed('a'), toolNamed('b')], [], [toolNamed('c')]]
    const { source } = await link(t, { ...options, behaviour: { pages } })
    assert.deepEqual(namesOf(source), ['docs_a', 'docs_b', 'docs_c'])
  })

  test(`a call reaches the tool under its own name, and its result comes back whole (${era})`, async (t) => {
    const result = {
      content: [
        { type: 'text', text: 'seen' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      structuredContent: { n: 1 },
    }
    const calls: unknown[] = []
    const call: UpstreamBehaviour['call'] = (name, input) => {
      calls.push([name, input])
      return result
    }
    const { source } = await link(t, { ...options, behaviour: { call } })
    assert.deepEqual(await callTool(source.tools(), 'docs_echo', { input: { a: 1 } }), result)
    assert.deepEqual(calls, [['echo', { a: 1 }]])
  })

  test(`only the credential of the source is sent, on every request (${era})`, async (t) => {
    const { upstream, source } = await link(t, { ...options, source: { credential: 'own-credential' } })
    await callTool(source.tools(), 'docs_echo')
    assert.ok(upstream.requests.length >= 3)
    assert.deepEqual(
      [...new Set(upstream.requests.map(({ headers }) => headers.authorization))],
      ['Bearer own-credential'],
    )
  })

  test(`progress of a tool is passed on (${era})`, async (t) => {
    const call: UpstreamBehaviour['call'] = async (_, __, extra) => {
      await extra.progress(1)
      return { content: [] }
    }
    const { source } = await link(t, { ...options, behaviour: { call } })
    const told: unknown[] = []
    await callTool(source.tools(), 'docs_echo', { progress: (...progress) => told.push(progress) })
    assert.deepEqual(told, [[1, 2, undefined]])
  })

  test(`an error of the protocol about the input is told, another one is not (${era})`, async (t) => {
    const call: UpstreamBehaviour['call'] = (name) => {
      const isInput = name === 'echo'
      throw Object.assign(new Error(isInput ? 'text is missing' : 'no table at /srv/db.js'), {
        code: isInput ? -32602 : -32603,
      })
    }
    const pages = [[toolNamed('echo'), toolNamed('other')]]
    const { source } = await link(t, { ...options, behaviour: { call, pages } })
    const [input, other] = [
      await callTool(source.tools(), 'docs_echo'),
      await callTool(source.tools(), 'docs_other'),
    ]
    assert.match(textOf(input), /^docs refused the input: .*text is missing$/)
    assert.equal(textOf(other), 'docs could not run the tool (-32603)')
    assert.deepEqual([input.isError, other.isError], [true, true])
  })

  test(`tools answer that the upstream is away while it is, and work again when it is back (${era})`, async (t) => {
    const { upstream, source, changed } = await link(t, options)
    await upstream.stop()
    // The first one may go out on a connection that was kept, and break off with it.
    assert.equal((await callTool(source.tools(), 'docs_echo')).isError, true)
    const away = await callTool(source.tools(), 'docs_echo')
    assert.deepEqual(away, {
      content: [{ type: 'text', text: 'docs cannot be reached at the moment; try again later' }],
      isError: true,
    })
    upstream.behaviour.pages = [[toolNamed('echo'), toolNamed('new')]]
    await upstream.start()
    await changed((names) => names.includes('docs_new'))
    assert.equal(textOf(await callTool(source.tools(), 'docs_echo', { input: { a: 1 } })), 'echo {"a":1}')
  })
}

test('a call after the upstream has lost its sessions is made once more, in a new one', async (t) => {
  const { upstream, source } = await link(t, { sessions: true, surroundings: { retryMs: 60_000 } })
  upstream.forgetSessions()
  assert.equal(textOf(await callTool(source.tools(), 'docs_echo', { input: { a: 1 } })), 'echo {"a":1}')
})

test('a credential goes into the header that the configuration names', async (t) => {
  const { upstream } = await link(t, { source: { credential: 'key-1', header: 'X-Api-Key' } })
  assert.ok(upstream.requests.length > 0)
  assert.ok(upstream.requests.every(({ headers }) => headers['x-api-key'] === 'key-1'))
  assert.ok(upstream.requests.every(({ headers }) => headers.authorization === undefined))
})

test('nothing is sent as a credential where none is configured', async (t) => {
  const { upstream, source } = await link(t)
  await callTool(source.tools(), 'docs_echo')
  assert.ok(upstream.requests.every(({ headers }) => headers.authorization === undefined))
})

test('parameters that a tool wants in headers are sent in headers', async (t) => {
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
  const { upstream, source } = await link(t, { behaviour: { pages: [[{ ...toolNamed('a'), inputSchema }]] } })
  const result = await callTool(source.tools(), 'docs_a', { input: { region: 'eu' } })
  assert.equal(result.isError, undefined)
  assert.equal(upstream.requests.at(-1)?.headers['mcp-param-region'], 'eu')
})

test('a call that is given up is given up at the upstream', async (t) => {
  const started = Promise.withResolvers<AbortSignal>()
  const call: UpstreamBehaviour['call'] = async (_, __, { signal }) => {
    started.resolve(signal)
    await once(signal, 'abort')
    return { content: [] }
  }
  const { source } = await link(t, { behaviour: { call } })
  const caller = new AbortController()
  const calling = callTool(source.tools(), 'docs_echo', { signal: caller.signal })
  const upstreamSignal = await started.promise
  caller.abort()
  await assert.rejects(calling)
  if (!upstreamSignal.aborted) await once(upstreamSignal, 'abort')
  assert.equal(upstreamSignal.aborted, true)
})

test('an answer past every limit is an error, and the upstream still works', async (t) => {
  const call: UpstreamBehaviour['call'] = (_, input) => ({
    content: [{ type: 'text', text: JSON.stringify(input) === '{}' ? 'small' : 'x'.repeat(5_000_000) }],
  })
  const { source } = await link(t, { behaviour: { call } })
  const large = await callTool(source.tools(), 'docs_echo', { input: { large: true } })
  assert.deepEqual([large.isError, textOf(large)], [true, 'the answer of docs is too large'])
  assert.equal(textOf(await callTool(source.tools(), 'docs_echo')), 'small')
})

/** An address where something listens that is no MCP server. */
async function listening(t: TestContext, handler: RequestListener): Promise<string> {
  const server: Server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`
}

test('a start waits only so long for an upstream that does not answer', async (t) => {
  const url = await listening(t, () => undefined)
  const before = performance.now()
  const source = await upstreamSource(
    { name: 'docs', url, allowPrivate: true, refreshMinutes: 5 },
    { log: createLog({ level: 'silent' }), outputLimitBytes: 1000, firstWaitMs: 100 },
  )
  assert.ok(performance.now() - before < 20_000)
  assert.deepEqual(source.tools(), [])
  await source.close()
})

test('an upstream that redirects is not followed', async (t) => {
  let reached = 0
  const target = await listening(t, (_, reply) => {
    reached += 1
    reply.end()
  })
  const url = await listening(t, (_, reply) => reply.writeHead(307, { location: target }).end())
  const source = await upstreamSource(
    { name: 'docs', url, credential: 'own-credential', allowPrivate: true, refreshMinutes: 5 },
    { log: createLog({ level: 'silent' }), outputLimitBytes: 1000 },
  )
  assert.deepEqual(source.tools(), [])
  assert.equal(reached, 0)
  await source.close()
})

for (const url of ['http://docs.example/mcp', 'https://127.0.0.1/mcp', 'https://[fd00::1]/mcp']) {
  test(`a source for ${url} does not open without allowPrivate`, async () => {
    const log = createLog({ level: 'silent' })
    await assert.rejects(
      upstreamSource(
        { name: 'docs', url, allowPrivate: false, refreshMinutes: 5 },
        { log, outputLimitBytes: 1 },
      ),
      (error: unknown) => error instanceof Failure && error.code === 'misconfigured',
    )
  })
}
