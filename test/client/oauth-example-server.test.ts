import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { loopbackRedirect } from '../../src/client/node/loopback-redirect.ts'
import { createOAuth } from '../../src/client/oauth/create-oauth.ts'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import { connectTools } from '../../src/client/tools/connect-tools.ts'
import { isClientError } from './client-error-check.ts'
import { drain } from './cut-list.ts'
import { startExampleServer } from './example-server.ts'

const example = await startExampleServer()
after(() => example[Symbol.asyncDispose]())

test("the official SDK's example server: sign-in at its own issuer, list, call, and another run with what is kept", async () => {
  const store = memoryStore()
  const pages: URL[] = []
  // Its issuer asks nothing: it sends the browser straight back.
  const redirect = loopbackRedirect({
    show: async (page) => {
      pages.push(page)
      await fetch(page)
    },
  })
  const oauth = createOAuth({ resource: example.url, store, redirect })
  const tools = await connectTools(example.url, { oauth })
  assert.deepEqual(tools.server, {
    name: 'simple-streamable-http-server',
    version: '1.0.0',
    revision: '2025-11-25',
  })
  const names = (await drain(tools.list())).map(({ name }) => name)
  assert.ok(names.includes('greet'), names.join())
  const greeting = await tools.call('greet', { name: 'Ada' })
  assert.deepEqual(greeting, { content: [{ type: 'text', text: 'Hello, Ada!' }], isError: false })
  await tools.close()
  assert.equal(pages[0]?.searchParams.get('resource'), example.url)
  assert.equal((await store.grant(example.url))?.issuer, `${example.issuer}/`)

  // It insists on the very address that was registered, and has no refresh tokens: the next sign-in is exact again.
  await oauth.signIn()
  assert.equal(pages[1]?.searchParams.get('redirect_uri'), pages[0]?.searchParams.get('redirect_uri'))
  const next = await connectTools(example.url, { oauth: createOAuth({ resource: example.url, store }) })
  assert.equal((await next.call('greet', { name: 'Bob' })).content[0]?.text, 'Hello, Bob!')
  await next.close()
})

test("what the official SDK's example server says is wrong with the input is a result", async () => {
  const redirect = loopbackRedirect({ show: async (page) => void (await fetch(page)) })
  const oauth = createOAuth({ resource: example.url, store: memoryStore(), redirect })
  const tools = await connectTools(example.url, { oauth })
  const { isError, content } = await tools.call('greet', { name: 5 })
  assert.equal(isError, true)
  assert.match(content[0]?.text ?? '', /expected string/)
  await tools.close()
})

test('without a sign-in the server is not entered, and the error says what to do', async () => {
  await assert.rejects(connectTools(example.url), isClientError('sign_in_required'))
  const oauth = createOAuth({ resource: example.url, store: memoryStore(), mayAsk: false })
  await assert.rejects(connectTools(example.url, { oauth }), (error: Error) => {
    assert.match(error.message, /^sign in to http:\/\/localhost:\d+\/mcp first/)
    return isClientError('sign_in_required')(error)
  })
})
