import type { StoredClient, StoredGrant } from '../oauth/token-store.ts'

/** What stands in a token file. */
export interface TokenFileContent {
  readonly grants: readonly StoredGrant[]
  readonly clients: readonly StoredClient[]
}

export const emptyContent: TokenFileContent = { grants: [], clients: [] }

export function renderContent(content: TokenFileContent): string {
  return `${JSON.stringify({ version: 1, ...content }, null, 2)}\n`
}

/** Nothing where the text is no token file, or one of another version. */
export function parseContent(text: string): TokenFileContent | undefined {
  const file = parsed(text)
  if (member(file, 'version') !== 1) return undefined
  const grants = entries(member(file, 'grants'), grantOf)
  const clients = entries(member(file, 'clients'), clientOf)
  return grants === undefined || clients === undefined ? undefined : { grants, clients }
}

function grantOf(value: unknown): StoredGrant | undefined {
  const [resource, audience, issuer] = texts(value, ['resource', 'audience', 'issuer'])
  const [clientId, accessToken] = texts(value, ['clientId', 'accessToken'])
  const scopes = textList(member(value, 'scopes'))
  const savedAt = numberAt(value, 'savedAt')
  if (resource === undefined || audience === undefined || issuer === undefined) return undefined
  if (clientId === undefined || accessToken === undefined) return undefined
  if (scopes === undefined || savedAt === undefined) return undefined
  return {
    resource,
    audience,
    issuer,
    clientId,
    accessToken,
    refreshToken: textAt(value, 'refreshToken'),
    scopes,
    savedAt,
    expiresAt: numberAt(value, 'expiresAt'),
  }
}

function clientOf(value: unknown): StoredClient | undefined {
  const [issuer, clientId] = texts(value, ['issuer', 'clientId'])
  const redirectUris = textList(member(value, 'redirectUris'))
  if (issuer === undefined || clientId === undefined || redirectUris === undefined) return undefined
  return {
    issuer,
    clientId,
    clientSecret: textAt(value, 'clientSecret'),
    secretExpiresAt: numberAt(value, 'secretExpiresAt'),
    authMethod: textAt(value, 'authMethod'),
    redirectUris,
  }
}

function entries<Value>(
  list: unknown,
  read: (value: unknown) => Value | undefined,
): readonly Value[] | undefined {
  if (!Array.isArray(list)) return undefined
  const values = list.flatMap((item) => read(item) ?? [])
  return values.length === list.length ? values : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function texts(value: unknown, names: readonly string[]): readonly (string | undefined)[] {
  return names.map((name) => textAt(value, name))
}

function textAt(value: unknown, name: string): string | undefined {
  const text = member(value, name)
  return typeof text === 'string' ? text : undefined
}

function numberAt(value: unknown, name: string): number | undefined {
  const number = member(value, name)
  return typeof number === 'number' ? number : undefined
}

function textList(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined
}
