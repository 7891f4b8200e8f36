import { authorizedFetch } from './authorized-fetch.ts'
import { forgetClients } from './client-identity.ts'
import type { AccessToken, OAuth, OAuthOptions } from './oauth-options.ts'
import { revoke } from './revoke.ts'
import { createSession, type Session } from './session.ts'
import { type Settings, settingsOf } from './settings.ts'
import type { StoredGrant } from './token-store.ts'

/** Signs in to one resource, by whichever authorization server it names, and keeps the token good. */
export function createOAuth(options: OAuthOptions): OAuth {
  const settings = settingsOf(options)
  const session = createSession(settings)
  return {
    resource: settings.key,
    fetch: authorizedFetch(session, settings),
    token: async ({ signal } = {}) => {
      const since = session.moment()
      const grant = await session.current()
      if (grant !== undefined) return tokenOf(grant)
      return tokenOf((await session.renew({ used: undefined, challenge: undefined, signal, since })).grant)
    },
    signIn: async (order = {}) => tokenOf(await session.signIn(order)),
    signOut: () => signOut(session, settings),
  }
}

async function signOut(session: Session, settings: Settings): Promise<{ readonly isRevoked: boolean }> {
  const { store, key, onEvent } = settings
  return store.exclusively(key, async () => {
    const grant = await store.grant(key)
    session.forget()
    if (grant === undefined) return { isRevoked: false }
    const isRevoked = await session
      .server(grant.issuer)
      .then((server) => revoke(server, grant, settings))
      // Who wants to be signed out here is, whether or not the issuer can be reached.
      .catch(() => false)
    await store.deleteGrant(key)
    // What a person answered meanwhile was revoked with the rest, or is not kept.
    session.forget()
    await forgetClients(grant.issuer, store)
    onEvent({ kind: 'signed-out', issuer: grant.issuer, isRevoked })
    return { isRevoked }
  })
}

function tokenOf({ accessToken, issuer, resource, scopes, expiresAt }: StoredGrant): AccessToken {
  return { accessToken, issuer, resource, scopes, expiresAt }
}
