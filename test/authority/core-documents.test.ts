import assert from 'node:assert/strict'
import type { RequestListener, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { after, test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { rotateKeys } from '../../src/authority/key-ring.ts'
import { selfSignedCertificate } from '../authorization-server/self-signed-certificate.ts'
import { type Core, redirectUri, secret, startAlone } from './core-authority.ts'
import { type Answer, authorize, redeem, refresh } from './core-flow.ts'

const { key, certificate } = selfSignedCertificate()
setDefaultCACertificates([...getCACertificates('default'), certificate])

const visits = { connections: 0, requests: 0 }
const server = createServer({ key, cert: certificate }, (request, response) => {
  visits.requests += 1
  const page = Object.hasOwn(pages, request.url ?? '') ? pages[request.url ?? ''] : undefined
  if (page === undefined) response.writeHead(404).end()
  else page(request, response)
})
server.on('connection', () => {
  visits.connections += 1
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const origin = `https://localhost:${typeof address === 'object' ? address?.port : ''}`
const core = await startAlone({ authority: { allowPrivate: true } })
after(async () => {
  await core[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})

function documentOf(path: string, changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    client_id: origin + path,
    client_name: 'A client with a document',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    ...changes,
  })
}

function send(response: ServerResponse, text: string, type = 'application/json'): void {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=600' }).end(text)
}

const pages: Readonly<Record<string, RequestListener>> = {
  '/good': (_, response) => send(response, documentOf('/good')),
  '/large': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const text = documentOf('/large', { software_statement: 'x'.repeat(6000) })
    response.write(text.slice(0, 3000))
    response.end(text.slice(3000))
  },
  '/restless': (request, response) => restless.answer(request, response),
  '/moved': (_, response) => response.writeHead(302, { location: `${origin}/good` }).end(),
  '/page': (_, response) => send(response, documentOf('/page'), 'text/html'),
  '/other': (_, response) => send(response, documentOf('/good')),
  '/secret': (_, response) =>
    send(
      response,
      documentOf('/secret', { token_endpoint_auth_method: 'client_secret_post', client_secret: 'x' }),
    ),
  '/script': (_, response) =>
    send(response, documentOf('/script', { redirect_uris: ['javascript:alert(1)'] })),
  '/greedy': (_, response) =>
    send(response, documentOf('/greedy', { grant_types: ['authorization_code', 'client_credentials'] })),
}

const restless: { answer: RequestListener } = {
  answer: (_, response) => send(response, documentOf('/restless')),
}

/** A provider that is built anew for another key knows no document. */
async function forgetDocuments({ context, refreshKeys }: Core): Promise<void> {
  await rotateKeys(context.store, { secret, now: context.now, accessTokenSeconds: 600 })
  await refreshKeys()
}

test('a client whose document cannot be read for a moment goes on by the last that was read', async () => {
  await using here = await startAlone({ authority: { allowPrivate: true } })
  const { answer } = restless
  const client = { client_id: `${origin}/restless` }
  let { body } = await redeem(here, await authorize(here, client), client)
  const renew = async (): Promise<Answer> => {
    await forgetDocuments(here)
    return refresh(here, body.refresh_token, client.client_id)
  }
  for (const [what, outage] of Object.entries<RequestListener>({
    'answers 503': (_, response) => response.writeHead(503).end(),
    'hangs up': (_, response) => response.destroy(),
  })) {
    restless.answer = outage
    const renewed = await renew()
    assert.equal(renewed.status, 200, what)
    body = renewed.body
  }
  await here.context.store.db.updateTable('authority_throttles').set({ failures: 300 }).execute()
  const before = visits.requests
  assert.equal((await renew()).status, 200)
  assert.equal(visits.requests, before)
  restless.answer = answer
})

test('without one it is told to come back, and only one that is gone is called unknown', async () => {
  await using here = await startAlone({ authority: { allowPrivate: true } })
  const { answer } = restless
  const client = { client_id: `${origin}/restless` }
  const { body } = await redeem(here, await authorize(here, client), client)
  const renew = async (): Promise<Answer> => {
    await forgetDocuments(here)
    return refresh(here, body.refresh_token, client.client_id)
  }
  restless.answer = (_, response) => response.writeHead(404).end()
  const gone = await renew()
  assert.deepEqual([gone.status, gone.body.error], [400, 'invalid_client'])
  restless.answer = (_, response) => response.writeHead(503).end()
  const down = await renew()
  assert.deepEqual([down.status, down.body.error], [503, 'temporarily_unavailable'])
  assert.equal((await authorize(here, client)).back.pathname, '/shown/503')
  restless.answer = answer
  assert.equal((await renew()).status, 200)
})

test('a client that is known by its document alone gets a token, and the document is read once', async () => {
  const client = { client_id: `${origin}/good` }
  const before = visits.requests
  const first = await redeem(core, await authorize(core, client), client)
  const second = await redeem(core, await authorize(core, client), client)
  assert.deepEqual([first.status, second.status], [200, 200])
  assert.equal(visits.requests - before, 1)
})

for (const [what, path] of Object.entries({
  'has more than 5 KB': '/large',
  'is somewhere else by now': '/moved',
  'is not served as JSON': '/page',
  'is of another client': '/other',
  'has a secret': '/secret',
  'sends people to a script': '/script',
  'does not exist': '/nothing',
})) {
  test(`a document is refused that ${what}`, async () => {
    const before = visits.requests
    const { back } = await authorize(core, { client_id: origin + path })
    assert.equal(back.pathname, '/shown/400')
    // The provider asks a second time to learn where the error could be sent.
    assert.ok(visits.requests - before <= 2)
  })
}

test('a client with a document cannot act for itself', async () => {
  const client = { client_id: `${origin}/greedy` }
  assert.equal((await redeem(core, await authorize(core, client), client)).status, 200)
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...client })
  const response = await fetch(new URL('/token', core.url), { method: 'POST', body })
  assert.equal(response.status, 400)
})

test('a document at a private address is not fetched: no connection is made', async () => {
  await using careful = await startAlone()
  const before = visits.connections
  const port = new URL(origin).port
  for (const host of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0x7f.1']) {
    const { back } = await authorize(careful, { client_id: `https://${host}:${port}/good` })
    assert.equal(back.pathname, '/shown/400', host)
  }
  assert.equal(visits.connections, before)
})

test('an address makes us fetch 300 documents an hour, and no more', async () => {
  await using busy = await startAlone({ authority: { allowPrivate: true } })
  await authorize(busy, { client_id: `${origin}/nothing` })
  await busy.context.store.db.updateTable('authority_throttles').set({ failures: 299 }).execute()
  const fetched: number[] = []
  for (const path of ['/good', '/greedy']) {
    const before = visits.requests
    await authorize(busy, { client_id: origin + path })
    fetched.push(visits.requests - before)
  }
  assert.deepEqual(fetched, [1, 0])
})

test('our own pages find a client of which another instance has read the document', async () => {
  const client = await core.context.provider().Client.find(`${origin}/good`)
  await using other = await startAlone({ authority: { allowPrivate: true } })
  assert.equal((await other.context.provider().Client.find(`${origin}/good`))?.clientId, client?.clientId)
})

test('with client documents switched off none is fetched', async () => {
  await using closed = await startAlone({ authority: { allowPrivate: true, clientDocuments: false } })
  const before = visits.connections
  assert.equal((await authorize(closed, { client_id: `${origin}/good` })).back.pathname, '/shown/400')
  assert.equal(visits.connections, before)
})
