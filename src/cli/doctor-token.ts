import { isDue } from '../client/oauth/grant.ts'
import type { Call } from './command.ts'
import { surfaceKey } from './server-url.ts'
import { signedIn, tokenStore } from './signed-in.ts'

/** The token of the login, refreshed as every other command would do it; as it is, where that fails. */
export async function storedToken(call: Call, server: URL): Promise<string | undefined> {
  const store = await tokenStore(call)
  const grant = await store.grant(surfaceKey(server, 'mcp'))
  if (grant === undefined || !isDue(grant, Date.now())) return grant?.accessToken
  try {
    const oauth = await signedIn(call, 'mcp', { server, mayAsk: false })
    return (await oauth.token({ signal: AbortSignal.timeout(patienceMs) })).accessToken
  } catch {
    return grant.accessToken
  }
}

const patienceMs = 10_000
