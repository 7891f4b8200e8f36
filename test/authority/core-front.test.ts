import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { createLog } from '../../src/log/log.ts'
import { startAlone } from './core-authority.ts'
import { authorize, redeem } from './core-flow.ts'

const core = await startAlone()
after(() => core[Symbol.asyncDispose]())

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** Unlike fetch it sends any Host that it is told to. */
function get(url: string, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
    sent.on('error', reject).end()
  })
}

function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(core.url).port), '127.0.0.1')
    let answer = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
    socket.end(text)
  })
}

const discovery = '/.well-known/openid-configuration'

test('a foreign Host is turned away, except by the probes', async () => {
  const headers = { host: 'evil.example' }
  for (const path of [discovery, '/authorize', '/token', '/sign-in/x', '/nothing']) {
    assert.equal((await get(core.url + path, headers)).status, 421, path)
  }
  assert.equal((await get(`${core.url}/healthz`, headers)).status, 200)
  assert.equal((await get(`${core.url}/readyz`, headers)).status, 200)
})

test('the names of this machine are no foreign ones while the authority listens on it', async () => {
  const { port } = new URL(core.url)
  assert.equal((await get(core.url + discovery, { host: `localhost:${port}` })).status, 200)
})

test('two Host headers, none, and a target with a host in it are refused', async () => {
  const host = `Host: ${new URL(core.url).host}`
  const end = 'Connection: close\r\n\r\n'
  assert.match(
    await raw(`GET ${discovery} HTTP/1.1\r\n${host}\r\nHost: evil.example\r\n${end}`),
    /^HTTP\/1.1 400/,
  )
  assert.match(await raw(`GET ${discovery} HTTP/1.1\r\n${end}`), /^HTTP\/1.1 400/)
  assert.match(
    await raw(`GET http://evil.example${discovery} HTTP/1.1\r\n${host}\r\n${end}`),
    /^HTTP\/1.1 400/,
  )
})

test('a target with a # is refused, also by the probes', async () => {
  const head = `HTTP/1.1\r\nHost: ${new URL(core.url).host}\r\nConnection: close\r\n\r\n`
  for (const target of [`${discovery}#`, '/token#x', '/healthz#x', '/healthz?x#y', '/sign-in/x#/y', '/#'])
    assert.match(await raw(`GET ${target} ${head}`), /^HTTP\/1.1 400.*must not contain #/s, target)
})

test('headers about proxies change nothing that the authority says of itself', async () => {
  const headers = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '203.0.113.1',
    forwarded: 'host=evil.example;proto=https',
  }
  const plain = await get(core.url + discovery)
  assert.equal((await get(core.url + discovery, headers)).text, plain.text)
})

test('behind https the issuer is what clients see, and browsers stay with it', async () => {
  await using remote = await startAlone({ issuer: 'https://id.example' })
  const { text, headers } = await get(remote.url + discovery, { host: 'id.example' })
  assert.partialDeepStrictEqual(JSON.parse(text), {
    issuer: 'https://id.example',
    token_endpoint: 'https://id.example/token',
  })
  assert.equal(headers['strict-transport-security'], 'max-age=31536000')
})

test('behind https every cookie is for this host, https and no script', async () => {
  await using remote = await startAlone({ issuer: 'https://id.example' })
  const query = new URLSearchParams({
    client_id: 'desk',
    response_type: 'code',
    redirect_uri: 'http://127.0.0.1/callback',
    scope: 'notes:read',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })
  const jar = new Map<string, string>()
  const lines: string[] = []
  let path = `/authorize?${query.toString()}`
  while (!path.startsWith('http://127.0.0.1/')) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const { headers } = await get(new URL(path, remote.url).href, { cookie })
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
      lines.push(line)
    }
    path = String(headers.location).replace('https://id.example/', '/')
  }
  assert.ok(lines.some((line) => line.startsWith('__Host-postern-session=')))
  for (const line of lines) {
    assert.match(line, /^(?:__Host-[^;]+;(?=.*path=\/;)|__Secure-)(?!.*domain)/i)
    for (const flag of [/; secure/i, /; httponly/i, /; samesite=lax/i]) assert.match(line, flag)
  }
})

test('a page cannot be framed or kept, runs nothing that it was sent, and shows what it was sent as text', async () => {
  const { status, headers, text } = await get(
    `${core.url}/authorize?client_id=%3Cscript%3Ealert(1)%3C/script%3E`,
    {
      accept: 'text/html',
    },
  )
  assert.equal(status, 400)
  assert.match(String(headers['content-type']), /^text\/html/)
  assert.match(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/)
  assert.deepEqual(
    [headers['cache-control'], headers['x-content-type-options'], headers['x-frame-options']],
    ['no-store', 'nosniff', 'DENY'],
  )
  assert.equal(text.includes('<script>alert'), false)
})

test('who is not signed in and signs out gets a form that may send itself, and nothing else may run', async () => {
  const { headers, text } = await get(`${core.url}/end-session`, { accept: 'text/html' })
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(text) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  assert.match(script, /submit\(\)/)
  assert.ok(String(headers['content-security-policy']).includes(`script-src 'none' 'sha256-${hash}'`))
})

test('a page of another origin can discover, register and get tokens for a public client', async () => {
  const origin = 'https://app.example'
  const preflight = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
  for (const path of ['/register', '/token', '/revoke']) {
    const response = await fetch(core.url + path, { method: 'OPTIONS', headers: preflight })
    assert.equal(response.status, 204)
    assert.match(String(response.headers.get('access-control-allow-origin')), /^(\*|https:\/\/app\.example)$/)
    assert.equal(response.headers.get('access-control-allow-headers'), 'content-type')
  }
  for (const path of [discovery, '/jwks', '/.well-known/oauth-authorization-server']) {
    const { headers } = await get(core.url + path, { origin })
    assert.notEqual(headers['access-control-allow-origin'], undefined)
  }
  const { code, verifier } = await authorize(core)
  const form = {
    grant_type: 'authorization_code',
    client_id: 'desk',
    redirect_uri: 'http://127.0.0.1/callback',
    code,
    code_verifier: verifier,
  }
  const tokens = await fetch(`${core.url}/token`, {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams(form),
  })
  assert.deepEqual([tokens.status, tokens.headers.get('access-control-allow-origin')], [200, origin])
})

test('a page of another origin gets no token for a client with a secret', async () => {
  const client = { client_id: 'site', redirect_uri: 'https://site.example/back' }
  const { code, verifier } = await authorize(core, client)
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    ...client,
    code,
    code_verifier: verifier,
  })
  const basic = `Basic ${btoa('site:the%20secret%20of%20the%20site')}`
  const headers = { origin: 'https://app.example', authorization: basic }
  const response = await fetch(`${core.url}/token`, { method: 'POST', headers, body })
  assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [400, null])
})

test('a target with a fragment is refused, behind which a path would pass the limits unseen', async () => {
  const request = `Host: ${new URL(core.url).host}\r\nConnection: close\r\n\r\n`
  for (const target of ['/register#x', '/authorize#/', '/tok\u00e9n'])
    assert.match(await raw(`POST ${target} HTTP/1.1\r\n${request}`), /^HTTP\/1.1 400/, target)
})

test('a failure is logged under the id that the caller sees, without what was in the request', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } })
  await using broken = await startAlone({ log })
  await broken.context.store.db.schema.dropTable('authority_records').execute()
  const { status, headers, text } = await get(`${broken.url}/authorize?client_id=unknown&state=my-own-state`)
  assert.equal(status, 500)
  assert.equal(text.includes('authority_records'), false)
  const line = lines.find((each) => each.includes(String(headers['x-request-id'])))
  assert.match(String(line), /"level":"error".*"path":"\/authorize"/)
  assert.equal(lines.join('').includes('my-own-state'), false)
})

test('a proxy that is not named is told of once, and one that is named is not', async () => {
  for (const [trustedProxies, times] of [
    [[], 1],
    [['127.0.0.1'], 0],
  ] as const) {
    const lines: string[] = []
    const log = createLog({ level: 'error', destination: { write: (line) => lines.push(line) } })
    await using proxied = await startAlone({ log, authority: { trustedProxies } })
    const ask = (headers: Record<string, string>): Promise<unknown> =>
      fetch(`${proxied.url}/jwks`, { headers })
    await ask({})
    assert.deepEqual(lines, [])
    for (const address of ['203.0.113.8', '203.0.113.9']) await ask({ 'x-forwarded-for': address })
    assert.equal(lines.length, times)
    for (const line of lines)
      assert.match(line, /a proxy that authority\.trustedProxies does not name: .* throttled together/)
  }
})

test('a caller that hangs up in the middle is no failure', async () => {
  const lines: string[] = []
  const { promise: written, resolve } = Promise.withResolvers<void>()
  const write = (line: string): void => {
    lines.push(line)
    resolve()
  }
  await using talking = await startAlone({ log: createLog({ level: 'debug', destination: { write } }) })
  const { host, port } = new URL(talking.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`POST /token HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100\r\n\r\ngrant_type=`, () =>
    socket.destroy(),
  )
  await written
  assert.match(lines.join(''), /"level":"debug".*"msg":"the caller hung up"/)
})

test('codes and tokens are in no line of the log', async () => {
  const lines: string[] = []
  const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } })
  await using talking = await startAlone({ log })
  const authorization = await authorize(talking)
  const { body } = await redeem(talking, authorization)
  await redeem(talking, authorization)
  for (const text of [authorization.code, authorization.verifier, body.access_token, body.refresh_token]) {
    assert.equal(lines.join('').includes(String(text)), false)
  }
})

test('without its store the authority is alive but not ready', async () => {
  const lost = await startAlone()
  await lost.context.store.close()
  const [alive, ready] = [await get(`${lost.url}/healthz`), await get(`${lost.url}/readyz`)]
  assert.deepEqual([alive.status, ready.status], [200, 503])
  await lost[Symbol.asyncDispose]()
})
