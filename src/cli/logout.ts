import type { StoredGrant, TokenStore } from '../client/oauth/token-store.ts'
import { type Call, type Command, hasFlag, jsonOption, printJson } from './command.ts'
import { forgetLastLogin, readLastLogin } from './last-login.ts'
import { serverUrl, surfaceKey } from './server-url.ts'
import { tokenStore } from './signed-in.ts'

export const logout: Command = {
  name: 'logout',
  group: 'Tools and models',
  summary: 'forget the tokens of a server, and have its issuer end them',
  words: '[URL]',
  options: {
    all: { type: 'boolean', description: 'Of every server that you signed in to.' },
    json: jsonOption,
  },
  example: 'postern logout',
  run: async (call) => {
    const store = await tokenStore(call)
    const grants = await grantsToEnd(call, store)
    const ended: SignedOut[] = []
    for (const grant of grants) ended.push(await end(grant, store))
    if (hasFlag(call, 'all')) await store.forgetUnusedClients()
    if (hasFlag(call, 'json')) printJson(call, { signedOut: ended })
    else call.io.out(ended.length === 0 ? 'You were not signed in.\n' : ended.map(tell).join(''))
    return 0
  },
}

async function grantsToEnd(call: Call, store: TokenStore): Promise<readonly StoredGrant[]> {
  const grants = await store.grants()
  const last = await readLastLogin(call.io)
  if (hasFlag(call, 'all')) {
    await forgetLastLogin(call.io)
    return grants
  }
  const server = await serverUrl(call, call.words[0])
  if (last?.url === server.href) await forgetLastLogin(call.io)
  const surfaces = (['mcp', 'v1beta', 'api'] as const).map((surface) => surfaceKey(server, surface))
  return grants.filter(({ resource }) => surfaces.includes(resource))
}

async function end(grant: StoredGrant, store: TokenStore): Promise<SignedOut> {
  const { createOAuth } = await import('../client/oauth/create-oauth.ts')
  const { resource } = grant
  return { resource, ...(await createOAuth({ resource, store }).signOut()) }
}

interface SignedOut {
  readonly resource: string
  readonly isRevoked: boolean
}

function tell({ resource, isRevoked }: SignedOut): string {
  const remainder = isRevoked
    ? ''
    : ' Its issuer could not be told: the token works until it expires, for whoever has a copy.'
  return `Signed out of ${resource}.${remainder}\n`
}
