import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type LocalIssuer, startLocalIssuer } from '../auth/local-issuer.ts'
import { startSmallUpstream } from '../authority/people-upstream.ts'
import { input, type Workplace, workplace } from '../cli/call-postern.ts'
import { plainAnswer } from '../engines/wire-upstream-server.ts'
import { startUpstream } from '../mcp/upstream-server.ts'
import { type HouseAddress, houseAddress } from '../model-api/house.ts'
import { type RedisServer, startRedis } from '../redis-server.ts'
import { portOf } from '../serving/raw-connection.ts'
import { type Postern, spawnPostern } from '../serving/spawn-postern.ts'
import type { Engine } from '../store/engines.ts'
import { noteSecret } from './secret-search-notes.ts'
import {
  audience,
  type HouseSecrets,
  houseSettings,
  made,
  makeHouseSecrets,
} from './secret-search-settings.ts'

/** Both programs with everything that has a secret, and logs that say as much as they can. */
export interface SecretHouse extends AsyncDisposable, HouseAddress {
  readonly place: Workplace
  /** The address of the database, as `dumpDatabase` takes it. */
  readonly database: string
  readonly gateway: Postern
  readonly authority: Postern
  readonly redis: RedisServer
  /** Its tokens are JWTs. */
  readonly issuer: LocalIssuer
  /** Its tokens are opaque. */
  readonly opaque: LocalIssuer
  /** Its tokens are exchanged. */
  readonly forge: LocalIssuer
  /** Where people sign in beside the authority. */
  readonly provider: string
  readonly settings: object
  readonly secrets: HouseSecrets
  readonly elsewhere: Elsewhere
}

export async function startSecretHouse(engine: Engine): Promise<SecretHouse> {
  await using stack = new AsyncDisposableStack()
  const secrets = makeHouseSecrets()
  const address = await houseAddress()
  const redis = await startRedis({ password: secrets.redis })
  stack.defer(redis.stop)
  const start = async (one: string): Promise<LocalIssuer> => {
    const issuer = await startLocalIssuer({ audience: one })
    stack.defer(issuer.stop)
    return issuer
  }
  const [issuer, opaque] = [await start(`${address.url}/mcp`), await start(`${address.url}/mcp`)]
  const forge = await start(audience)
  forge.serves = ['/.well-known/openid-configuration']
  const { issuer: provider } = stack.use(
    await startSmallUpstream({ sub: 'u-1', preferred_username: 'grace' }),
  )
  const mcp = await startUpstream()
  stack.defer(mcp.stop)
  const elsewhere = await startElsewhere(stack)
  const database = engine.dialect === 'postgres' ? stack.use(await engine.create()).url : undefined
  const settings = houseSettings({
    address,
    secrets,
    database,
    redisUrl: redis.url,
    issuer: issuer.issuer,
    opaqueIssuer: opaque.issuer,
    forge: forge.issuer,
    provider,
    mcpUrl: mcp.url,
    upstream: elsewhere.url,
  })
  const place = stack.use(await workplace(JSON.stringify(settings)))
  const env = await furnish(place, secrets.password, elsewhere.url)
  const authority = stack.use(spawnPostern(['authority'], { cwd: place.folder }))
  const gateway = stack.use(spawnPostern(['serve'], { cwd: place.folder, env }))
  await Promise.all([authority.logs('ready'), gateway.logs('ready')])
  const running = stack.move()
  return {
    ...address,
    place,
    gateway,
    authority,
    redis,
    issuer,
    opaque,
    forge,
    provider,
    settings,
    secrets,
    elsewhere,
    database: database ?? `sqlite:${join(place.folder, 'data/postern.db')}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** What an operator prepares: a user, the description of an API, the credentials for an engine. */
async function furnish(
  { call, folder }: Workplace,
  password: string,
  upstream: string,
): Promise<NodeJS.ProcessEnv> {
  const write = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content)
  await call(['authority', 'users', 'add', 'ada', '--admin', '--password-stdin'], input(`${password}\n`))
  await write('shop.json', JSON.stringify(shop))
  await write('subject.jwt', made('a workload token for Vertex AI'))
  const credentials = {
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `${upstream}/sts`,
    credential_source: { file: join(folder, 'subject.jwt') },
  }
  await write('vertex.json', JSON.stringify(credentials))
  return { GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'vertex.json') }
}

const shop = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: { '/orders': { get: { operationId: 'listOrders', responses: { 200: { description: 'orders' } } } } },
}

/** Servers of others, which may fail and then say more than they should. */
interface Elsewhere {
  readonly url: string
  isFailing: boolean
  /** The credentials that were sent here. */
  readonly seen: ReadonlySet<string>
}

async function startElsewhere(stack: AsyncDisposableStack): Promise<Elsewhere> {
  const seen = new Set<string>()
  const answer = (request: IncomingMessage, body: string): string => {
    const sent = credentialsOf(request.headers)
    for (const one of sent) {
      seen.add(one)
      noteSecret('a credential that was sent to an upstream', one)
    }
    if (elsewhere.isFailing) {
      const message = `you sent ${sent.join()}, ${JSON.stringify(request.headers)}, and ${body}`
      return JSON.stringify({
        error: { code: 500, message, status: 'INTERNAL', details: [{ '@type': 'x', sent }] },
      })
    }
    const [, path = ''] = request.url?.split('/') ?? []
    return path === 'sts' ? exchanged() : path === 'v1' ? completion : plainAnswer
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const content = answer(request, body)
      response.writeHead(elsewhere.isFailing ? 500 : 200, { 'content-type': 'application/json' }).end(content)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const elsewhere: Elsewhere = { url: `http://127.0.0.1:${portOf(server)}`, isFailing: false, seen }
  return elsewhere
}

function credentialsOf(headers: IncomingHttpHeaders): readonly string[] {
  const { authorization, 'x-goog-api-key': key, 'x-api-key': other } = headers
  return [authorization?.replace(/^Bearer /, ''), key, other].flat().filter((one) => one !== undefined)
}

function exchanged(): string {
  return JSON.stringify({
    access_token: made('a token for Vertex AI'),
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 3600,
  })
}

const completion: string = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'o',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})
