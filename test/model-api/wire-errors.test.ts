import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { GoogleGenAI } from '@google/genai'
import { startLocalIssuer } from '../auth/local-issuer.ts'
import { refusalOf, rpc } from './error-bodies.ts'
import { houseAddress, startHouse } from './house.ts'

const address = await houseAddress()
const issuer = await startLocalIssuer({ audience: `${address.url}/v1beta` })
const house = await startHouse(address, { issuers: [{ issuer: issuer.issuer }] })
after(async () => {
  await house[Symbol.asyncDispose]()
  await issuer.stop()
})
const key = await house.key()
const scopeBase = 'https://www.googleapis.com/auth'

test('no credential: 403 PERMISSION_DENIED without details', async () => {
  const response = await fetch(`${house.url}/v1beta/models/tiny:generateContent`, {
    method: 'POST',
    body: '{}',
  })
  assert.equal(response.status, 403)
  assert.deepEqual(await response.json(), {
    error: {
      code: 403,
      message:
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      status: 'PERMISSION_DENIED',
    },
  })
  assert.equal(
    response.headers.get('www-authenticate'),
    `Bearer realm="${house.url}", resource_metadata="${house.url}/.well-known/oauth-protected-resource/v1beta"`,
  )
})

const wire = `${house.url}/v1beta/models/tiny`

async function post(operation: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(`${wire}:${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

test('tokens are refused with a challenge: what is wrong, and which scope would do', async () => {
  const bad = await post(
    'generateContent',
    {},
    { authorization: `Bearer ${issuer.token({ exp: 1_700_000_000 })}` },
  )
  const challenge = `Bearer realm="${house.url}", resource_metadata="${house.url}/.well-known/oauth-protected-resource/v1beta"`
  assert.equal(
    bad.headers.get('www-authenticate'),
    `${challenge}, error="invalid_token", error_description="the access token has expired"`,
  )
  const poor = await post('generateContent', {}, { authorization: `Bearer ${issuer.token()}` })
  assert.equal(
    poor.headers.get('www-authenticate'),
    `${challenge}, error="insufficient_scope", scope="${scopeBase}/cloud-platform ${scopeBase}/generative-language"`,
  )
})

test('the metadata that challenges point to says whose tokens are taken, and with which scopes', async () => {
  const response = await fetch(`${house.url}/.well-known/oauth-protected-resource/v1beta`)
  const { resource, authorization_servers: servers, scopes_supported: scopes } = Object(await response.json())
  assert.deepEqual(
    [resource, servers, scopes],
    [
      `${house.url}/v1beta`,
      [issuer.issuer],
      [`${scopeBase}/cloud-platform`, `${scopeBase}/generative-language`],
    ],
  )
})

const violations = {
  code: 400,
  message:
    'Invalid JSON payload received. Unknown name "stream": Cannot find field.\nInvalid JSON payload received. Unknown name "topP" at \'contents[0]\': Cannot find field.',
  status: 'INVALID_ARGUMENT',
}

test('unknown fields: 400 with every violation', async () => {
  const body = { stream: true, contents: [{ topP: 1, parts: [{ text: 'hi' }] }] }
  const response = await post('generateContent', body, { 'x-goog-api-key': key })
  assert.equal(response.status, 400)
  const { error } = Object(await response.json())
  const { details, ...rest } = error
  assert.deepEqual(rest, violations)
  assert.deepEqual(details, [
    rpc('BadRequest', {
      fieldViolations: [
        { description: 'Invalid JSON payload received. Unknown name "stream": Cannot find field.' },
        {
          field: 'contents[0]',
          description:
            'Invalid JSON payload received. Unknown name "topP" at \'contents[0]\': Cannot find field.',
        },
      ],
    }),
  ])
})

const empties = [
  [{}, '* GenerateContentRequest.contents: contents is not specified\n'],
  [{ contents: [] }, '* GenerateContentRequest.contents: contents is not specified\n'],
  [
    { contents: [{ parts: [{ text: 'a' }] }, { role: 'model', parts: [] }] },
    '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
  ],
] as const

for (const [body, message] of empties)
  test(`empty contents are refused: ${JSON.stringify(body)}`, async () => {
    const response = await post('generateContent', body, { 'x-goog-api-key': key })
    assert.equal(response.status, 400)
    assert.deepEqual(await response.json(), { error: { code: 400, message, status: 'INVALID_ARGUMENT' } })
  })

const brief = { model: 'tiny', contents: 'hi', config: { maxOutputTokens: 2 } }

/** Until those who left have made room. */
async function insist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    assert.equal(Object(error).status, 503)
    return insist(ask)
  }
}

test('overload: 503 UNAVAILABLE with Retry-After, as ApiError, and the others go on', async () => {
  const leaving = new AbortController()
  const contents = Array.from({ length: 190 }, () => 'one').join(' ')
  const ai = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: house.url } })
  const calls = Array.from({ length: 40 }, () =>
    ai.models.generateContent({ model: 'tiny', contents, config: { abortSignal: leaving.signal } }),
  )
  const error = await refusalOf(Promise.race(calls))
  const raw = await post(
    'generateContent',
    { contents: [{ parts: [{ text: 'hi' }] }] },
    { 'x-goog-api-key': key },
  )
  leaving.abort()
  await Promise.allSettled(calls)
  assert.deepEqual(
    [error.status, JSON.parse(error.message)],
    [
      503,
      {
        error: {
          code: 503,
          message: 'The model is overloaded. Please try again later.',
          status: 'UNAVAILABLE',
        },
      },
    ],
  )
  assert.deepEqual([raw.status, raw.headers.get('retry-after')], [503, '1'])
  assert.equal(typeof (await insist(() => ai.models.generateContent(brief))).text, 'string')
})
