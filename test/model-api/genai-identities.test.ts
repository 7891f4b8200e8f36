import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, mock, test } from 'node:test'
import { GoogleGenAI } from '@google/genai'
import { GoogleAuth } from 'google-auth-library'
import { startLocalIssuer } from '../auth/local-issuer.ts'
import { input } from '../cli/call-postern.ts'
import { houseAddress, startHouse } from './house.ts'
import { desktop, logIn } from './log-in.ts'
import { withToken } from './with-token.ts'

// The SDK remarks on every client without a key.
mock.method(console, 'warn', () => undefined)
// There is no such server here, and the libraries would look for it.
process.env.METADATA_SERVER_DETECTION = 'none'

const cloudPlatform = 'https://www.googleapis.com/auth/cloud-platform'
const audience = '//iam.postern.example/locations/global/workloadIdentityPools/ci/providers/forge'
const forge = await startLocalIssuer({ audience, algorithm: 'RS256' })
forge.serves = ['/.well-known/openid-configuration']
const bindings = [{ subject: 'repo:team/app:*', serviceAccount: 'robot@demo.iam.127.0.0.1' }]
const { id, secret, redirectUri } = desktop
const house = await startHouse(await houseAddress(), {
  authority: {
    allowPrivate: true,
    clients: [{ id, name: 'Desktop', secret, redirectUris: [redirectUri] }],
    workloads: [{ issuer: forge.issuer, audience, bindings }],
  },
})
after(async () => {
  await house[Symbol.asyncDispose]()
  await forge.stop()
})
const { place, url, authorityUrl } = house
const ada = { login: 'ada', password: 'correct horse battery' }
await place.call(['authority', 'users', 'add', ada.login], input(`${ada.password}\n`))
const robot = await place.json(['service-accounts', 'create', 'robot', '--project', 'demo'])
const signedIn = await logIn(authorityUrl, ada, cloudPlatform)

const httpOptions = { baseUrl: url }
const vertex = { vertexai: true, project: 'demo', location: 'global', httpOptions } as const
const story = { contents: 'Once upon a', config: { maxOutputTokens: 6, temperature: 0 } }
const itsEnd = ' time, there was a little'

/** What the official libraries find by themselves. */
async function applicationDefault(name: string, file: unknown): Promise<void> {
  const path = join(place.folder, name)
  await writeFile(path, JSON.stringify(file))
  process.env.GOOGLE_APPLICATION_CREDENTIALS = path
}

async function streamed(ai: GoogleGenAI): Promise<string> {
  let text = ''
  for await (const piece of await ai.models.generateContentStream({ model: 'tiny', ...story }))
    text += piece.text ?? ''
  return text
}

test('the token of a person works on the paths of the Gemini API', async () => {
  const ai = new GoogleGenAI({ httpOptions, ...withToken(signedIn.accessToken) })
  assert.equal((await ai.models.generateContent({ model: 'tiny', ...story })).text, itsEnd)
  assert.equal(await streamed(ai), itsEnd)
})

const files = [
  { what: 'the file of a service account', name: 'robot.json', file: robot },
  {
    what: 'workload identity',
    name: 'workload.json',
    file: {
      type: 'external_account',
      audience,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `${authorityUrl}/v1/token`,
      credential_source: { file: join(place.folder, 'token.jwt') },
    },
  },
  {
    what: 'the file of a local login',
    name: 'login.json',
    file: {
      type: 'external_account_authorized_user',
      audience: '//iam.googleapis.com/locations/global/workforcePools/W/providers/P',
      client_id: id,
      client_secret: secret,
      refresh_token: signedIn.refreshToken,
      token_url: `${authorityUrl}/v1/oauthtoken`,
      token_info_url: `${authorityUrl}/v1/introspect`,
    },
  },
]
await writeFile(join(place.folder, 'token.jwt'), forge.token({ sub: 'repo:team/app:main' }))

for (const { what, name, file } of files) {
  test(`${what}, found by itself, works with a project and a location`, async () => {
    await applicationDefault(name, file)
    const ai = new GoogleGenAI(vertex)
    assert.equal((await ai.models.generateContent({ model: 'tiny', ...story })).text, itsEnd)
    assert.equal(await streamed(ai), itsEnd)
  })

  test(`${what}, found by itself, works on the paths of the Gemini API`, async () => {
    await applicationDefault(name, file)
    const { totalTokens } = await new GoogleGenAI({ httpOptions }).models.countTokens({
      model: 'tiny',
      contents: 'Once upon a',
    })
    assert.equal(totalTokens, 4)
  })

  test(`the token that ${what} gives is refused by the tool server`, async () => {
    await applicationDefault(name, file)
    const auth = new GoogleAuth({ scopes: [cloudPlatform] })
    const headers = await (await auth.getClient()).getRequestHeaders(url)
    headers.set('content-type', 'application/json')
    assert.match(headers.get('authorization') ?? '', /^Bearer ey/)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const refused = await fetch(`${url}/mcp`, { method: 'POST', headers, body })
    assert.equal(refused.status, 401)
    assert.match(refused.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
  })
}

test('every operation has its path of Vertex AI', async () => {
  await applicationDefault('robot.json', robot)
  const ai = new GoogleGenAI(vertex)
  const { totalTokens } = await ai.models.countTokens({ model: 'tiny', contents: 'Once upon a' })
  assert.equal(totalTokens, 4)
  for (const model of ['text-embedding-005', 'gemini-embedding-2']) {
    const { embeddings } = await ai.models.embedContent({ model, contents: 'a dog' })
    assert.equal(embeddings?.[0]?.values?.length, 384, model)
  }
  const names: (string | undefined)[] = []
  for await (const { name } of await ai.models.list({ config: { pageSize: 1 } })) names.push(name)
  assert.deepEqual(names, ['publishers/google/models/tale', 'publishers/google/models/tiny'])
  assert.equal((await ai.models.get({ model: 'tiny' })).name, 'publishers/google/models/tiny')
  const tuned = await ai.models.list({ config: { queryBase: false } })
  assert.equal(tuned.pageLength, 0)
})

test('the stable version of Vertex AI has the same paths', async () => {
  await applicationDefault('robot.json', robot)
  const { totalTokens } = await new GoogleGenAI({ ...vertex, apiVersion: 'v1' }).models.countTokens({
    model: 'tiny',
    contents: 'Once upon a',
  })
  assert.equal(totalTokens, 4)
})

test('without a project an API key works on those paths too', async () => {
  const ai = new GoogleGenAI({ vertexai: true, apiKey: await house.key(), httpOptions })
  assert.equal((await ai.models.generateContent({ model: 'tiny', ...story })).text, itsEnd)
})

test('a token that was not asked for the models is refused', async () => {
  const { accessToken } = await logIn(authorityUrl, ada, 'openid')
  const ai = new GoogleGenAI({ httpOptions, ...withToken(accessToken) })
  await assert.rejects(ai.models.generateContent({ model: 'tiny', ...story }), {
    name: 'ApiError',
    status: 401,
  })
})

test('an account that was disabled is refused within a second', async () => {
  const file = Object(await place.json(['service-accounts', 'create', 'other', '--project', 'demo']))
  await applicationDefault('other.json', file)
  const ai = new GoogleGenAI(vertex)
  await ai.models.countTokens({ model: 'tiny', contents: 'hi' })
  await place.call(['service-accounts', 'disable', file.client_email])
  const disabled = Date.now()
  for (;;) {
    const asked = Date.now()
    const answer = await ai.models
      .countTokens({ model: 'tiny', contents: 'hi' })
      .catch((error: unknown) => error)
    if (answer instanceof Error) {
      assert.equal(Reflect.get(answer, 'status'), 401)
      return
    }
    assert.ok(asked - disabled <= 1100, 'it still works')
  }
})
