import { ClientError } from '../client/client-error.ts'
import { knock } from '../client/doctor/knock.ts'
import { bearerChallenge } from '../client/oauth/challenge.ts'
import { readResourceMetadata } from '../client/oauth/resource-metadata.ts'
import { serverFetch } from '../client/oauth/server-fetch.ts'
import type { Call } from './command.ts'
import { type Surface, surfaceKey, surfaceNamed, surfaceUrl } from './server-url.ts'
import { tokenStore } from './signed-in.ts'

/** One sign-in; without scopes it is for what the metadata of the surface names. */
export interface PlannedSignIn {
  readonly surface: Surface
  readonly scopes: readonly string[] | undefined
}

/** Which surfaces are signed in to, by what their metadata says they know; a scope that none knows is for the tools. */
export async function loginPlan(
  call: Call,
  server: URL,
  wanted: readonly string[],
): Promise<readonly PlannedSignIn[]> {
  if (wanted.length === 0) {
    const surface = surfaceNamed(server)
    return [{ surface, scopes: await initialScopes(surface, surfaceUrl(server, surface)) }]
  }
  const store = await tokenStore(call)
  const others = ['v1beta', 'api'] as const
  const known = await Promise.all(
    others.map(async (surface) => ({ surface, scopes: await scopesOf(surfaceUrl(server, surface)) })),
  )
  const parts = [
    { surface: 'mcp', scopes: wanted.filter((scope) => !known.some(({ scopes }) => scopes.includes(scope))) },
    ...known.map(({ surface, scopes }) => ({
      surface,
      scopes: wanted.filter((scope) => scopes.includes(scope)),
    })),
  ] as const
  const needed = parts.filter(({ scopes }) => scopes.length > 0)
  return Promise.all(
    needed.map(async ({ surface, scopes }) => {
      const grant = await store.grant(surfaceKey(server, surface))
      return { surface, scopes: [...new Set([...(grant?.scopes ?? []), ...scopes])] }
    }),
  )
}

/** What a server tells a caller without a token to begin with; it may be less than all it knows. */
async function initialScopes(surface: Surface, resource: string): Promise<readonly string[] | undefined> {
  const send = serverFetch(headOnly)
  const ask = async (init: RequestInit): Promise<{ readonly response: Response }> => ({
    response: await send(resource, init),
  })
  // A tool server answers only messages with a challenge: to GET it may say that it has no such method.
  const { response } = await (surface === 'mcp' ? knock('postern', ask) : ask({}))
  const scopes = (await bearerChallenge(response))?.scopes ?? []
  return scopes.length === 0 ? undefined : scopes
}

/** A server may answer with a stream that does not end. */
const headOnly: typeof fetch = async (input, init) => {
  const { status, headers, body } = await fetch(input, init)
  await body?.cancel()
  return new Response(null, { status, headers })
}

async function scopesOf(resource: string): Promise<readonly string[]> {
  try {
    const question = { resource: new URL(resource), fetch: serverFetch(fetch) }
    return (await readResourceMetadata(question))?.scopes ?? []
  } catch (error) {
    // What stands at the root may describe another surface: then this one is not there.
    if (error instanceof ClientError && error.code !== 'network') return []
    throw error
  }
}
