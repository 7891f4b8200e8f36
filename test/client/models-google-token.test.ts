import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { modelClient } from '../../src/client/models/model-client.ts'
import { isClientError } from './client-error-check.ts'

/** Stands for the metadata server of a machine in Google's cloud, and for a token endpoint of ours. */
const asked: string[] = []
const giver = createServer(({ url = '' }, response) => {
  asked.push(url)
  response.setHeader('metadata-flavor', 'Google')
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({
      access_token: 'a-token-of-the-giver',
      expires_in: 3600,
      token_type: 'Bearer',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    }),
  )
}).listen(0, '127.0.0.1')
await once(giver, 'listening')
const { port } = Object(giver.address()) satisfies AddressInfo
const folder = await mkdtemp(join(tmpdir(), 'postern-google-'))
after(async () => {
  giver.close()
  await rm(folder, { recursive: true })
})

// The library looks for a login of gcloud there.
process.env.HOME = folder
process.env.CLOUDSDK_CONFIG = join(folder, 'gcloud')
process.env.GCE_METADATA_HOST = `127.0.0.1:${port}`
process.env.METADATA_SERVER_DETECTION = 'none'

const sent: Request[] = []
const fetch: typeof globalThis.fetch = async (...request) => {
  sent.push(new Request(...request))
  return Response.json({ totalTokens: 1 })
}
const elsewhere = { baseUrl: 'https://models.example', fetch }

beforeEach(() => {
  asked.length = 0
  sent.length = 0
})

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const account = {
  type: 'service_account',
  client_email: 'robot@demo.iam.gserviceaccount.com',
  private_key: privateKey.export({ format: 'pem', type: 'pkcs8' }),
  private_key_id: '1',
}
await writeFile(join(folder, 'subject.jwt'), 'a-token-of-the-job')
const workload = {
  type: 'external_account',
  audience: '//iam.postern.example/locations/global/workloadIdentityPools/ci/providers/forge',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: `http://127.0.0.1:${port}/v1/token`,
  credential_source: { file: join(folder, 'subject.jwt') },
}
const login = { client_id: 'id', client_secret: 'not-a-secret', refresh_token: 'not-a-token' }

const ofGoogle: Readonly<Record<string, object>> = {
  'a service account of Google': account,
  'a login of gcloud': { type: 'authorized_user', ...login },
  'a login of gcloud that names another universe': {
    type: 'authorized_user',
    ...login,
    universe_domain: 'models.example',
  },
  'a workload that Google gives the token': { ...workload, token_url: 'https://sts.googleapis.com/v1/token' },
  'a workload that becomes an account of Google': {
    ...workload,
    service_account_impersonation_url:
      'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/robot@demo.iam.gserviceaccount.com:generateAccessToken',
  },
  'a workforce login without an address of its own': {
    type: 'external_account_authorized_user',
    audience: '//iam.googleapis.com/locations/global/workforcePools/W/providers/P',
    ...login,
  },
}

for (const [what, file] of Object.entries(ofGoogle))
  test(`${what} is not used for a server that is not Google's`, async () => {
    await useFile(file)
    for (const options of [elsewhere, { ...elsewhere, vertexai: true, project: 'demo' }])
      await assert.rejects(modelClient(options).countTokens('tiny', 'hi'), (error: unknown) => {
        assert.match(String(error), /their token is not sent to models\.example.*service-accounts create/)
        return isClientError('google_credentials')(error)
      })
    assert.deepEqual([sent, asked], [[], []])
  })

test("a machine in Google's cloud does not fetch its token for another server, and does for Google", async () => {
  delete process.env.GOOGLE_APPLICATION_CREDENTIALS
  process.env.METADATA_SERVER_DETECTION = 'assume-present'
  for (const baseUrl of ['https://models.example', 'https://googleapis.com.models.example'])
    await assert.rejects(
      modelClient({ baseUrl, fetch }).countTokens('tiny', 'hi'),
      isClientError('google_credentials'),
    )
  assert.deepEqual([sent, asked.filter((path) => path.includes('token'))], [[], []])
  for (const options of [{ fetch }, { baseUrl: 'https://europe-aiplatform.googleapis.com', fetch }]) {
    await modelClient(options).countTokens('tiny', 'hi')
    assert.equal(sent.pop()?.headers.get('authorization'), 'Bearer a-token-of-the-giver')
  }
})

test('a workload with a token endpoint of its own, and an account of another universe, are used', async () => {
  await useFile(workload)
  await modelClient(elsewhere).countTokens('tiny', 'hi')
  assert.equal(sent.pop()?.headers.get('authorization'), 'Bearer a-token-of-the-giver')
  await useFile({ ...account, universe_domain: 'models.example' })
  await modelClient(elsewhere).countTokens('tiny', 'hi')
  assert.match(sent.pop()?.headers.get('authorization') ?? '', /^Bearer eyJ/)
})

async function useFile(content: object): Promise<void> {
  const path = join(folder, 'credentials.json')
  await writeFile(path, JSON.stringify(content))
  process.env.GOOGLE_APPLICATION_CREDENTIALS = path
}
