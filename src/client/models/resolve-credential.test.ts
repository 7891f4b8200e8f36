import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientError } from '../../../test/client/client-error-check.ts'
import { createOAuth } from '../oauth/create-oauth.ts'
import { memoryStore } from '../oauth/memory-store.ts'
import { type ResolveOptions, resolveCredential } from './resolve-credential.ts'

const oauth = createOAuth({ resource: 'https://gate.example/models/v1beta', store: memoryStore() })
const bothKeys = { GOOGLE_API_KEY: 'key-b', GEMINI_API_KEY: 'key-a' }
const projectAround = { GOOGLE_CLOUD_PROJECT: 'around', GOOGLE_CLOUD_LOCATION: 'eu' }
const vertex = { vertexai: true, baseUrl: 'https://gate.example' }

interface Row {
  readonly claim: string
  readonly options?: ResolveOptions
  readonly env?: Readonly<Record<string, string>>
  /** Kind and origin of the credential, and the key where it is one. */
  readonly gives: readonly [kind: string, from: string, apiKey?: string]
  /** Platform, project and location. */
  readonly at?: readonly [platform: string, project?: string, location?: string]
}

const rows: readonly Row[] = [
  {
    claim: 'GEMINI_API_KEY alone is used',
    env: { GEMINI_API_KEY: 'key-a' },
    gives: ['api-key', 'GEMINI_API_KEY', 'key-a'],
  },
  {
    claim: 'GOOGLE_API_KEY alone is used',
    env: { GOOGLE_API_KEY: 'key-b' },
    gives: ['api-key', 'GOOGLE_API_KEY', 'key-b'],
  },
  {
    claim: 'of both keys GOOGLE_API_KEY has priority',
    env: bothKeys,
    gives: ['api-key', 'GOOGLE_API_KEY', 'key-b'],
  },
  {
    claim: 'a GOOGLE_API_KEY of blanks is none',
    env: { ...bothKeys, GOOGLE_API_KEY: '  ' },
    gives: ['api-key', 'GEMINI_API_KEY', 'key-a'],
  },
  {
    claim: 'blanks around a key are none of it',
    env: { GEMINI_API_KEY: ' key-a\n' },
    gives: ['api-key', 'GEMINI_API_KEY', 'key-a'],
  },
  {
    claim: 'other vendors have other names, in the order given',
    options: { keyVariables: ['ACME_API_KEY', 'WIDGET_API_KEY'] },
    env: { ...bothKeys, WIDGET_API_KEY: 'key-w' },
    gives: ['api-key', 'WIDGET_API_KEY', 'key-w'],
  },
  {
    claim: 'an API key in the program goes before both variables',
    options: { apiKey: 'key-c' },
    env: bothKeys,
    gives: ['api-key', 'apiKey', 'key-c'],
  },
  {
    claim: 'an access token in the program goes before both variables',
    options: { accessToken: 'token' },
    env: bothKeys,
    gives: ['access-token', 'accessToken'],
  },
  {
    claim: 'a signed-in user goes before both variables',
    options: { oauth },
    env: bothKeys,
    gives: ['oauth', 'oauth'],
  },
  {
    claim: 'Application Default Credentials, asked for, go before both variables',
    options: { adc: true },
    env: bothKeys,
    gives: ['default-credentials', 'adc'],
  },
  {
    claim: 'without anything Application Default Credentials are searched for',
    gives: ['default-credentials', 'search'],
  },
  {
    claim: 'a project in the environment means nothing without the platform flag',
    env: { ...projectAround, GEMINI_API_KEY: 'key-a' },
    gives: ['api-key', 'GEMINI_API_KEY', 'key-a'],
    at: ['gemini'],
  },
  {
    claim: 'the platform flag is read from GOOGLE_GENAI_USE_VERTEXAI',
    env: { ...projectAround, GOOGLE_GENAI_USE_VERTEXAI: 'True' },
    gives: ['default-credentials', 'GOOGLE_CLOUD_PROJECT'],
    at: ['vertex', 'around', 'eu'],
  },
  {
    claim: 'GOOGLE_GENAI_USE_ENTERPRISE goes before GOOGLE_GENAI_USE_VERTEXAI',
    env: { GEMINI_API_KEY: 'key-a', GOOGLE_GENAI_USE_ENTERPRISE: 'false', GOOGLE_GENAI_USE_VERTEXAI: '1' },
    gives: ['api-key', 'GEMINI_API_KEY', 'key-a'],
    at: ['gemini'],
  },
  {
    claim: 'the platform flag in the program goes before the environment',
    options: { vertexai: false },
    env: { ...bothKeys, ...projectAround, GOOGLE_GENAI_USE_VERTEXAI: 'true' },
    gives: ['api-key', 'GOOGLE_API_KEY', 'key-b'],
    at: ['gemini'],
  },
  {
    claim: 'on the platform, credentials in the program go before everything in the environment',
    options: { ...vertex, accessToken: 'token' },
    env: { ...bothKeys, ...projectAround },
    gives: ['access-token', 'accessToken'],
    at: ['vertex', 'around', 'eu'],
  },
  {
    claim: 'on the platform, a key in the program goes before a project in the environment',
    options: { ...vertex, apiKey: 'key-c' },
    env: projectAround,
    gives: ['api-key', 'apiKey', 'key-c'],
    at: ['vertex'],
  },
  {
    claim: 'on the platform, a project in the program goes before a key in the environment',
    options: { ...vertex, project: 'mine' },
    env: bothKeys,
    gives: ['default-credentials', 'project'],
    at: ['vertex', 'mine', 'global'],
  },
  {
    claim: 'on the platform, a location in the program goes before a key in the environment',
    options: { ...vertex, location: 'us' },
    env: { ...bothKeys, GOOGLE_CLOUD_PROJECT: 'around' },
    gives: ['default-credentials', 'project'],
    at: ['vertex', 'around', 'us'],
  },
  {
    claim: 'on the platform, a project in the environment goes before a key there',
    options: vertex,
    env: { ...bothKeys, ...projectAround },
    gives: ['default-credentials', 'GOOGLE_CLOUD_PROJECT'],
    at: ['vertex', 'around', 'eu'],
  },
  {
    claim: 'on the platform, a key in the environment goes before a search',
    options: vertex,
    env: bothKeys,
    gives: ['api-key', 'GOOGLE_API_KEY', 'key-b'],
    at: ['vertex'],
  },
  {
    claim: 'on the platform, without project and key, there is a search',
    options: vertex,
    gives: ['default-credentials', 'search'],
    at: ['vertex'],
  },
  {
    claim: 'on the platform, a key beside a project in the program keeps the project',
    options: { ...vertex, apiKey: 'key-c', project: 'mine' },
    env: projectAround,
    gives: ['api-key', 'apiKey', 'key-c'],
    at: ['vertex', 'mine', 'global'],
  },
  {
    claim: 'without leave for Application Default Credentials a project leads to none',
    options: { ...vertex, adc: false, project: 'mine' },
    env: bothKeys,
    gives: ['api-key', 'GOOGLE_API_KEY', 'key-b'],
    at: ['vertex', 'mine', 'global'],
  },
]

for (const { claim, options = {}, env = {}, gives, at } of rows)
  test(claim, () => {
    const { credential, place } = resolveCredential(options, env)
    const key = credential.kind === 'api-key' ? [credential.apiKey] : []
    assert.deepEqual([credential.kind, credential.from, ...key], gives)
    if (at === undefined) return
    const [platform, project, location] = at
    assert.deepEqual([place.platform, place.project, place.location], [platform, project, location])
  })

test('keys that lie about unused are named', () => {
  assert.deepEqual(resolveCredential({}, bothKeys).ignored, ['GEMINI_API_KEY'])
  assert.deepEqual(resolveCredential({ apiKey: 'key-c' }, bothKeys).ignored, [
    'GOOGLE_API_KEY',
    'GEMINI_API_KEY',
  ])
})

for (const [claim, options, code] of [
  ['a key and a token', { apiKey: 'key-c', accessToken: 'token' }, 'several_credentials'],
  ['a user and Application Default Credentials', { oauth, adc: true }, 'several_credentials'],
  ['an empty key', { apiKey: ' ' }, 'invalid_option'],
  ['a key that no header can carry', { apiKey: 'key\u{1f511}' }, 'invalid_option'],
  ['a project without the platform flag', { apiKey: 'key-c', project: 'mine' }, 'invalid_option'],
  ['nothing, and no leave to search', { adc: false }, 'no_credential'],
  ['the platform of Google without a project', { vertexai: true }, 'no_project'],
  ['plain http to another machine', { apiKey: 'key-c', baseUrl: 'http://gate.example' }, 'insecure_url'],
  ['an address with a parameter', { baseUrl: 'https://gate.example?key=key-c' }, 'invalid_option'],
  ['an address that is none', { baseUrl: 'gate' }, 'insecure_url'],
] as const)
  test(`${claim} is refused`, () => {
    assert.throws(() => resolveCredential(options, {}), isClientError(code))
  })

test('a key that is refused is not quoted', () => {
  assert.throws(
    () => resolveCredential({ apiKey: 'secret-key\u{1f511}' }, {}),
    (error: unknown) => !String(error).includes('secret-key'),
  )
})

const around = {
  GOOGLE_GEMINI_BASE_URL: 'https://around.example/g',
  GOOGLE_VERTEX_BASE_URL: 'https://around.example/v',
}

for (const [claim, options, env, href] of [
  ['the one in the program', { baseUrl: 'https://mine.example' }, around, 'https://mine.example/'],
  ['that of the user, without the version', { oauth }, around, 'https://gate.example/models'],
  ['GOOGLE_GEMINI_BASE_URL', {}, around, 'https://around.example/g'],
  ['GOOGLE_VERTEX_BASE_URL on the platform', { vertexai: true }, around, 'https://around.example/v'],
  ["Google's", {}, {}, 'https://generativelanguage.googleapis.com/'],
  [
    "Google's of a region",
    { vertexai: true, project: 'p', location: 'europe-west1' },
    {},
    'https://europe-west1-aiplatform.googleapis.com/',
  ],
  [
    "Google's of a continent",
    { vertexai: true, project: 'p', location: 'eu' },
    {},
    'https://aiplatform.eu.rep.googleapis.com/',
  ],
  ["Google's of the world", { vertexai: true, project: 'p' }, {}, 'https://aiplatform.googleapis.com/'],
  ['this machine by plain http', { baseUrl: 'http://localhost:8080' }, {}, 'http://localhost:8080/'],
  [
    'another machine by plain http, where that is allowed',
    { baseUrl: 'http://gate:8080', allowHttp: true },
    {},
    'http://gate:8080/',
  ],
] as const)
  test(`the address is ${claim}`, () => {
    assert.equal(resolveCredential(options, env).place.baseUrl.href, href)
  })
