import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { modelClient } from '../../src/client/models/model-client.ts'
import { ModelError } from '../../src/client/models/model-error.ts'
import { startLocalIssuer } from '../auth/local-issuer.ts'
import { input } from '../cli/call-postern.ts'
import { houseAddress, startHouse } from '../model-api/house.ts'
import { desktop, logIn } from '../model-api/log-in.ts'
import { isClientError } from './client-error-check.ts'
import { drain } from './cut-list.ts'

// There is no such server here, and the library would look for it.
process.env.METADATA_SERVER_DETECTION = 'none'

const audience = '//iam.postern.example/locations/global/workloadIdentityPools/ci/providers/forge'
const forge = await startLocalIssuer({ audience, algorithm: 'RS256' })
forge.serves = ['/.well-known/openid-configuration']
const { id, secret, redirectUri } = desktop
const house = await startHouse(await houseAddress(), {
  authority: {
    allowPrivate: true,
    clients: [{ id, name: 'Desktop', secret, redirectUris: [redirectUri] }],
    workloads: [
      {
        issuer: forge.issuer,
        audience,
        bindings: [{ subject: 'repo:team/app:*', serviceAccount: 'robot@demo.iam.127.0.0.1' }],
      },
    ],
  },
})
after(async () => {
  await house[Symbol.asyncDispose]()
  await forge.stop()
})
const { place, url: baseUrl, authorityUrl } = house
const ada = { login: 'ada', password: 'correct horse battery' }
await place.call(['authority', 'users', 'add', ada.login], input(`${ada.password}\n`))
const robot = await place.json(['service-accounts', 'create', 'robot', '--project', 'demo'])
const signedIn = await logIn(authorityUrl, ada, 'https://www.googleapis.com/auth/cloud-platform')
await writeFile(join(place.folder, 'token.jwt'), forge.token({ sub: 'repo:team/app:main' }))

const story = { contents: 'Once upon a', generationConfig: { maxOutputTokens: 6, temperature: 0 } }
const itsEnd = ' time, there was a little'

/** What the environment of a program names. */
async function applicationDefault(name: string, content: string): Promise<void> {
  const path = join(place.folder, name)
  await writeFile(path, content)
  process.env.GOOGLE_APPLICATION_CREDENTIALS = path
}

const files = [
  { what: 'the file of a service account', name: 'robot.json', file: robot },
  {
    what: 'a workload-identity binding',
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
    what: 'a local developer login',
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

for (const { what, name, file } of files)
  test(`${what} is found by itself, on the platform and without it`, async () => {
    await applicationDefault(name, JSON.stringify(file))
    const vertex = modelClient({ baseUrl, vertexai: true, project: 'demo', location: 'global' })
    assert.equal(vertex.identity.credential, 'default-credentials')
    assert.equal((await vertex.generate('tiny', story)).text, itsEnd)
    const pieces = await drain(vertex.stream('tiny', story))
    assert.equal(pieces.map(({ text }) => text).join(''), itsEnd)
    assert.equal((await modelClient({ baseUrl }).countTokens('tiny', 'Once upon a')).totalTokens, 4)
  })

test('the platform, the project and the address can all come from the environment', async () => {
  await applicationDefault('robot.json', JSON.stringify(robot))
  const env = {
    GOOGLE_GENAI_USE_VERTEXAI: 'true',
    GOOGLE_CLOUD_PROJECT: 'demo',
    GOOGLE_VERTEX_BASE_URL: baseUrl,
    GEMINI_API_KEY: 'wrong',
  }
  assert.equal((await modelClient({ env }).countTokens('tiny', 'Once upon a')).totalTokens, 4)
})

test('texts are embedded, one and many, on both platforms', async () => {
  await applicationDefault('robot.json', JSON.stringify(robot))
  const vertex = modelClient({ baseUrl, vertexai: true, project: 'demo' })
  const gemini = modelClient({ baseUrl, apiKey: await house.key() })
  const one = await gemini.embed('gemini-embedding-2', 'a dog')
  assert.equal(one.values.length, 384)
  for (const [client, model] of [
    [gemini, 'gemini-embedding-2'],
    [vertex, 'gemini-embedding-2'],
    [vertex, 'text-embedding-005'],
  ] as const) {
    const [cat, dog, ...more] = await client.embedMany(model, ['a cat', 'a dog'])
    assert.deepEqual([dog?.values, more], [one.values, []], model)
    assert.notDeepEqual(cat?.values, one.values)
  }
  assert.deepEqual(await gemini.embedMany('gemini-embedding-2', []), [])
  const many = Array.from({ length: 101 }, (_, index) => (index === 100 ? 'a dog' : 'a cat'))
  const all = await gemini.embedMany('gemini-embedding-2', many)
  assert.deepEqual([all.length, all[100]], [101, one])
})

test('the token of a person works', async () => {
  const client = modelClient({ baseUrl, accessToken: signedIn.accessToken })
  assert.equal((await client.generate('tiny', story)).text, itsEnd)
})

test('a token that was not asked for the models is refused', async () => {
  const { accessToken } = await logIn(authorityUrl, ada, 'openid')
  await assert.rejects(
    modelClient({ baseUrl, accessToken }).generate('tiny', story),
    (error: unknown) => error instanceof ModelError && error.status === 401,
  )
})

test('credentials of a gateway are not sent to Google because an address is missing', async () => {
  await applicationDefault('robot.json', JSON.stringify(robot))
  let sent = 0
  const fetch: typeof globalThis.fetch = async () => {
    sent += 1
    return Response.json({})
  }
  await assert.rejects(modelClient({ fetch }).generate('tiny', 'hi'), isClientError('no_base_url'))
  assert.equal(sent, 0)
})

test('credentials that are not there, or broken, are told in words that quote nothing of them', async () => {
  process.env.GOOGLE_APPLICATION_CREDENTIALS = join(place.folder, 'none.json')
  const client = modelClient({ baseUrl })
  await assert.rejects(client.generate('tiny', 'hi'), (error: unknown) => {
    assert.match(String(error), /the file that GOOGLE_APPLICATION_CREDENTIALS names is not there/)
    return isClientError('no_default_credentials')(error)
  })
  await applicationDefault('broken.json', 'secret-secret')
  await assert.rejects(client.generate('tiny', 'hi'), (error: unknown) => {
    assert.doesNotMatch(String(error), /secret-/)
    return isClientError('no_default_credentials')(error)
  })
  await applicationDefault('robot.json', JSON.stringify(robot))
  assert.equal((await client.countTokens('tiny', 'hi')).totalTokens > 0, true)
})

test('a list says too that there are no credentials', async () => {
  process.env.GOOGLE_APPLICATION_CREDENTIALS = join(place.folder, 'none.json')
  await assert.rejects(drain(modelClient({ baseUrl }).models()), isClientError('no_default_credentials'))
})
