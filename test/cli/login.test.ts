import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startSigningHouse } from './signing-house.ts'

const signing = await startSigningHouse()
after(() => signing[Symbol.asyncDispose]())
const { url, authorityUrl } = signing.house
const modelScope = 'https://www.googleapis.com/auth/generative-language'

test('login opens the browser, waits, and says who signed in, for what and until when', async () => {
  await using ada = await signing.visit()
  const { code, out, err } = await ada.call(['login', url])
  assert.equal(code, 0, err)
  assert.match(err, new RegExp(`^Sign in at ${authorityUrl} to use ${url}/mcp\\.\n`))
  assert.match(
    out,
    new RegExp(
      `^Signed in to ${url}/mcp as ada\\.\n  by     ${authorityUrl}\n  for    notes:read, notes:write\n  until  20\\d\\d-\\S+ \\d\\d:\\d\\dZ, and renewed as long as you use it\n$`,
    ),
  )
  assert.equal(ada.pages.length, 1)
  assert.equal((await stat(ada.tokenFile)).mode & 0o077, 0)
  const token = Object(JSON.parse(await readFile(ada.tokenFile, 'utf8'))).grants[0].accessToken
  assert.ok(!`${out}${err}`.includes(token))
})

test('without --scope a login asks for what the server tells a caller to begin with', async () => {
  await using careful = await startSigningHouse({ initialScopes: ['notes:read'] })
  await using ada = await careful.visit()
  const { grants } = Object(await ada.json(['login']))
  assert.deepEqual(grants[0].scopes, ['notes:read'])
})

test('with --no-browser, or where none opens, the address is printed, and opening it by hand is as good', async () => {
  for (const [args, isOpening] of [
    [['--no-browser'], true],
    [[], false],
  ] as const) {
    await using ada = await signing.visit()
    let opened: Promise<boolean> | undefined
    const world = {
      openPage: async () => {
        assert.equal(isOpening, false)
        return false
      },
      err: (text: string) => {
        const [, page] = /Open this address in a browser on this machine:\n\n {2}(\S+)\n/.exec(text) ?? []
        if (page !== undefined) opened = ada.openPage(new URL(page))
      },
    }
    const { code } = await ada.call(['login', ...args], world)
    assert.equal(code, 0)
    assert.equal(await opened, true)
  }
})

test('who came by ssh is told how the browser of their own machine finds back', async () => {
  await using ada = await signing.visit()
  let told = ''
  const err = (text: string): void => {
    told += text
    const [, page] = /\n {2}(http\S+authorize\S+)\n/.exec(text) ?? []
    if (page !== undefined) void ada.openPage(new URL(page))
  }
  const env = { ...ada.env, SSH_CONNECTION: '10.0.0.1 22 10.0.0.2 22' }
  assert.equal((await ada.call(['login', '--no-browser'], { env, err })).code, 0)
  assert.match(told, /forward the way back first: ssh -L (\d+):127\.0\.0\.1:\1 HOST/)
})

test('--scope signs in to the parts of the server that know those scopes, and to no other', async () => {
  await using ada = await signing.visit()
  const made = Object(await ada.json(['login', '--scope', 'notes:read', '--scope', modelScope]))
  assert.deepEqual(
    made.grants.map(({ resource, scopes }: Record<string, unknown>) => [resource, scopes]),
    [
      [`${url}/mcp`, ['notes:read']],
      [`${url}/v1beta`, [modelScope]],
    ],
  )
  assert.equal(made.server, `${url}/`)
  await using other = await signing.visit()
  const only = Object(await other.json(['login', '--scope', modelScope]))
  assert.deepEqual(
    only.grants.map(({ resource }: Record<string, unknown>) => resource),
    [`${url}/v1beta`],
  )
})

test('a later login with --scope adds to what is allowed already', async () => {
  await using ada = await signing.visit()
  await ada.json(['login', '--scope', 'notes:read'])
  const { grants } = Object(await ada.json(['login', '--scope', 'notes:write']))
  assert.deepEqual(grants[0].scopes.toSorted(), ['notes:read', 'notes:write'])
})

test('later commands know the server of the last login, until the logout', async () => {
  await using ada = await signing.visit()
  const env = { POSTERN_TOKEN_FILE: ada.tokenFile }
  assert.equal((await ada.call(['login', url], { env })).code, 0)
  assert.match((await ada.call(['tools'], { env })).out, /read_notes/)
  const { code, out } = await ada.call(['logout'], { env })
  assert.deepEqual([code, out], [0, `Signed out of ${url}/mcp.\n`])
  const without = { ...env, POSTERN_URL: url }
  const { code: refused, err } = await ada.call(['tools'], { env: without })
  assert.equal(refused, 1)
  assert.match(err, /^postern: sign in to \S+ first.*\nSign in with: postern login\n$/)
  const throughNpx = await ada.call(['tools'], { env: { ...without, npm_lifecycle_event: 'npx' } })
  assert.match(throughNpx.err, /\nSign in with: npx postern login\n$/)
  assert.equal((await ada.call(['logout'], { env: without })).out, 'You were not signed in.\n')
})

test('a logout ends the token at the issuer too', async () => {
  await using ada = await signing.visit()
  await ada.json(['login', '--scope', 'notes:read', '--scope', modelScope])
  assert.deepEqual(await ada.json(['logout', '--all']), {
    signedOut: [
      { resource: `${url}/mcp`, isRevoked: true },
      { resource: `${url}/v1beta`, isRevoked: true },
    ],
  })
  assert.deepEqual(Object(JSON.parse(await readFile(ada.tokenFile, 'utf8'))).grants, [])
})

test('who has answered before their browser is known to run is not told of the page any more', async () => {
  await using ada = await signing.visit()
  const [answered, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const openPage = async (page: URL): Promise<boolean> => {
    const back = new URL(page.searchParams.get('redirect_uri') ?? '')
    const state = page.searchParams.get('state') ?? ''
    back.search = new URLSearchParams({ error: 'access_denied', state, iss: authorityUrl }).toString()
    await fetch(back).finally(answered.resolve)
    await over.promise
    return true
  }
  let told = ''
  const err = (text: string): void => {
    told += text
  }
  assert.equal((await ada.call(['login'], { openPage, err })).code, 1)
  await answered.promise
  over.resolve()
  await setImmediate()
  assert.match(told, /was refused: access_denied\n$/)
})

test('a login at an issuer that has forgotten this program introduces it again', async () => {
  await using ada = await signing.visit()
  await ada.json(['login'])
  const before = Object(JSON.parse(await readFile(ada.tokenFile, 'utf8')))
  const clients = [{ ...before.clients[0], clientId: 'of-a-folder-that-was-deleted' }]
  await writeFile(ada.tokenFile, JSON.stringify({ ...before, grants: [], clients }))
  const { code, err } = await ada.call(['login'])
  assert.equal(code, 0, err)
  const kept = Object(JSON.parse(await readFile(ada.tokenFile, 'utf8')))
  assert.equal(kept.clients.length, 1)
  assert.notEqual(kept.clients[0].clientId, clients[0].clientId)
  assert.equal(kept.clients[0].clientId, kept.grants[0].clientId)
})

test('a logout of every server forgets the registrations that are left, too', async () => {
  await using ada = await signing.visit()
  await ada.json(['login'])
  const { clients, ...rest } = Object(JSON.parse(await readFile(ada.tokenFile, 'utf8')))
  const left = { ...clients[0], issuer: 'https://issuer.example', clientId: 'of-a-login-that-failed' }
  await writeFile(ada.tokenFile, JSON.stringify({ ...rest, clients: [...clients, left] }))
  assert.equal((await ada.call(['logout', '--all'])).code, 0)
  const kept = Object(JSON.parse(await readFile(ada.tokenFile, 'utf8')))
  assert.deepEqual([kept.grants, kept.clients], [[], []])
})

test('whoever signed in for the models calls them without a key, and a key goes before a login', async () => {
  await using ada = await signing.visit()
  const generate = ['generate', '--model', 'tiny', '--max-tokens', '6', '--temperature', '0', 'Once upon a']
  const refused = await ada.call(generate)
  assert.equal(refused.code, 1)
  assert.match(
    refused.err,
    /^postern: sign in to \S+\/v1beta first.*\nSign in with: postern login \S+\/v1beta\n$/,
  )
  const [, hint = ''] = /Sign in with: postern (.*)\n/.exec(refused.err) ?? []
  await ada.json(hint.split(' '))
  const { code, out, err } = await ada.call(generate)
  assert.deepEqual([code, out], [0, ' time, there was a little\n'], err)
  assert.match(err, /cut at its longest; --max-tokens allows more/)
  const env = { ...ada.env, GEMINI_API_KEY: 'a-key-of-somebody-else' }
  const wrong = await ada.call(generate, { env })
  assert.equal(wrong.code, 1)
  assert.match(wrong.err, /unset both to call as whoever signed in/)
  assert.doesNotMatch(wrong.err, /a-key-of/)
})

for (const [what, args, says, code] of [
  [
    'an address that is none',
    ['login', 'ftp://x'],
    /must look like https:\/\/postern\.example, not "ftp:/,
    2,
  ],
  ['plain http to another machine', ['login', 'http://postern.example'], /must be https/, 1],
  [
    'a server that is not there',
    ['login', 'http://127.0.0.1:1'],
    /is the server running.*\n.*doctor http:/,
    1,
  ],
  ['a port that is none', ['login', '--port', '0'], /--port must be a whole number from 1 to 65535/, 2],
] as const)
  test(`${what} is refused in words, without a stack trace`, async () => {
    await using ada = await signing.visit()
    const refused = await ada.call(args)
    assert.equal(refused.code, code)
    assert.match(refused.err, says)
    assert.doesNotMatch(refused.err, /\n\s+at /)
    assert.match((await ada.call([...args, '--debug'])).err, /\n\s+at /)
  })
