import { randomBytes } from 'node:crypto'
import { upstreamClient } from '../authority/people-upstream.ts'
import type { HouseAddress } from '../model-api/house.ts'
import { noteSecret } from './secret-search-notes.ts'

/** The secrets of a configuration, made for this run. */
export interface HouseSecrets {
  readonly sealing: string
  readonly site: string
  readonly gate: string
  readonly robot: string
  readonly paging: readonly [string, string]
  readonly gemini: string
  readonly openai: string
  readonly mcp: string
  readonly openapi: string
  readonly redis: string
  readonly postgres: string
  readonly password: string
}

export function makeHouseSecrets(): HouseSecrets {
  noteSecret('the client secret at the provider of people', upstreamClient.clientSecret)
  return {
    sealing: made('the secret of the authority'),
    site: made('a client secret'),
    gate: made('the client secret of the gateway'),
    robot: made('the client secret of a robot'),
    paging: [made('a paging key'), made('an old paging key')],
    gemini: made('the key of the engine gemini'),
    openai: made('the key of the engine openai'),
    mcp: made('the credential of a tool source (mcp)'),
    openapi: made('the credential of a tool source (openapi)'),
    redis: made('the password of Redis'),
    postgres: made('the password of Postgres'),
    password: made('a password'),
  }
}

export function made(kind: string): string {
  const secret = randomBytes(32).toString('base64url')
  noteSecret(kind, secret)
  return secret
}

export interface HouseParts {
  readonly address: HouseAddress
  readonly secrets: HouseSecrets
  /** Undefined for the SQLite database of the folder. */
  readonly database: string | undefined
  readonly redisUrl: string
  readonly issuer: string
  readonly opaqueIssuer: string
  readonly forge: string
  readonly provider: string
  readonly mcpUrl: string
  /** Models and an API for tools. */
  readonly upstream: string
}

export const audience = '//iam.postern.example/locations/global/workloadIdentityPools/ci/providers/forge'
export const site = { id: 'site', redirectUri: 'https://site.example/back' } as const
export const robotEmail = 'robot@demo.iam.127.0.0.1'

/** A configuration in which every key that holds a secret is used. */
export function houseSettings(parts: HouseParts): object {
  const { address, secrets } = parts
  return {
    server: { port: address.port, opsPort: 0, publicUrl: address.url },
    ...(parts.database !== undefined && { store: withPassword(parts.database, secrets.postgres) }),
    shared: parts.redisUrl,
    issuers: [{ issuer: address.authorityUrl }, { issuer: parts.issuer }, introspecting(parts)],
    authority: authoritySettings(parts),
    tools: { pageSize: 2, sources: toolSources(parts) },
    models: models(parts),
    paging: { keys: secrets.paging },
    limits: { perPrincipalPerMinute: 10_000 },
    log: { level: 'trace' },
  }
}

/** The server of the tests trusts everybody, so it takes any. */
function withPassword(database: string, password: string): string {
  const url = new URL(database)
  url.password = password
  return url.href
}

function introspecting({ opaqueIssuer, secrets }: HouseParts): object {
  const url = `${opaqueIssuer}/introspect`
  const introspection = { url, clientId: 'gate', clientSecret: secrets.gate, cacheSeconds: 1 }
  return { issuer: opaqueIssuer, validate: 'introspection', introspection }
}

function authoritySettings({ address, secrets, forge, provider }: HouseParts): object {
  const bindings = [{ subject: 'repo:team/app:*', serviceAccount: robotEmail }]
  return {
    port: address.authorityPort,
    secret: secrets.sealing,
    allowPrivate: true,
    opaqueResources: ['v1beta'],
    scopes: { 'notes:read': { description: 'Read your notes' } },
    clients: [
      { id: site.id, name: 'Site', secret: secrets.site, redirectUris: [site.redirectUri] },
      { id: 'gate', name: 'Gateway', secret: secrets.gate, grants: [], introspects: true },
      { id: 'robot', name: 'Robot', secret: secrets.robot, grants: ['client_credentials'] },
    ],
    upstream: { name: 'Acme', issuer: provider, ...upstreamClient, loginClaim: 'preferred_username' },
    workloads: [{ issuer: forge, audience, bindings }],
  }
}

function toolSources({ secrets, mcpUrl, upstream }: HouseParts): readonly object[] {
  const open = { allowPrivate: true, scopes: { '*': [] } }
  return [
    { kind: 'builtin' },
    { kind: 'mcp', name: 'docs', url: mcpUrl, credential: secrets.mcp, ...open },
    {
      kind: 'openapi',
      name: 'shop',
      spec: './shop.json',
      baseUrl: upstream,
      credential: secrets.openapi,
      header: 'x-api-key',
      ...open,
    },
  ]
}

function models({ secrets, upstream: baseUrl }: HouseParts): readonly object[] {
  return [
    { name: 'g', engine: 'gemini', apiKey: secrets.gemini, baseUrl, retries: 0 },
    { name: 'o', engine: 'openai', apiKey: secrets.openai, baseUrl: `${baseUrl}/v1` },
    { name: 'v', engine: 'vertex', project: 'demo', baseUrl, retries: 0 },
  ]
}
