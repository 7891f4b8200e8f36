import { ask, signInRequired } from './asking.ts'
import type { BearerChallenge } from './challenge.ts'
import { isDue, isExpired } from './grant.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { refresh } from './refresh.ts'
import { isLoopback } from './safe-url.ts'
import { readServerMetadata, type ServerMetadata } from './server-metadata.ts'
import type { Settings } from './settings.ts'
import type { StoredGrant } from './token-store.ts'

/** The grant of one resource, and every way to a better one. */
export interface Session {
  /** The grant to use now, refreshed where that is due; nothing where there is none. */
  readonly current: () => Promise<StoredGrant | undefined>
  /** Another token than one that was refused: found, refreshed, or got by asking the person. */
  readonly renew: (refusal: Refusal) => Promise<Renewal>
  /** A token that allows what was refused; nothing where asking cannot help, or is not allowed. */
  readonly widen: (refusal: Refusal) => Promise<StoredGrant | undefined>
  readonly signIn: (order: SignInOrder) => Promise<StoredGrant>
  readonly server: (issuer: string) => Promise<ServerMetadata>
  readonly forget: () => void
}

interface Refusal {
  /** What was sent and refused. */
  readonly used: StoredGrant | undefined
  readonly challenge: BearerChallenge | undefined
  readonly signal?: AbortSignal | undefined
  /** That it was fresh: then another refresh will not help. */
  readonly isFresh?: boolean
}

export interface Renewal {
  readonly grant: StoredGrant
  readonly how: 'found' | 'refreshed' | 'signed-in'
}

interface SignInOrder {
  readonly scopes?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

export function createSession(settings: Settings): Session {
  const { store, key, now } = settings
  const inTurn = oneAtATime()
  const server = serverReader(settings)
  let known: StoredGrant | undefined
  const remember = (grant: StoredGrant | undefined): StoredGrant | undefined => {
    known = grant
    return grant
  }
  const kept = async (): Promise<StoredGrant | undefined> => usable(await store.grant(key), settings)

  const refreshed = async (used: StoredGrant): Promise<StoredGrant | undefined> =>
    remember(await refreshLatest(used, settings, server))

  async function current(): Promise<StoredGrant | undefined> {
    if (known !== undefined && !isDue(known, now())) return known
    return inTurn(async () => {
      const grant = known ?? remember(await kept())
      if (grant === undefined || !isDue(grant, now())) return grant
      try {
        return (await refreshed(grant)) ?? (isExpired(grant, now()) ? remember(undefined) : grant)
      } catch (error) {
        // It is still good for a while, and the issuer may be back by then.
        if (isExpired(grant, now())) throw error
        return grant
      }
    })
  }

  async function renew({ used, challenge, signal, isFresh = false }: Refusal): Promise<Renewal> {
    return inTurn(async () => {
      const found = await kept()
      if (found !== undefined && found.accessToken !== used?.accessToken && !isExpired(found, now())) {
        remember(found)
        return { grant: found, how: 'found' }
      }
      const next = found === undefined || isFresh ? undefined : await refreshed(found)
      if (next !== undefined && next.accessToken !== used?.accessToken)
        return { grant: next, how: 'refreshed' }
      const granted = remember(await ask({ why: 'sign-in', challenge, signal }, settings))
      if (granted === undefined) throw signInRequired(challenge, settings)
      return { grant: granted, how: 'signed-in' }
    })
  }

  async function widen({ used, challenge, signal }: Refusal): Promise<StoredGrant | undefined> {
    return inTurn(async () => {
      const needed = challenge?.scopes ?? []
      const latest = (await kept()) ?? used
      const has = latest?.scopes ?? []
      const isCovered = needed.every((scope) => has.includes(scope))
      if (isCovered) return latest?.accessToken === used?.accessToken ? undefined : remember(latest)
      const grant = await ask({ why: 'step-up', challenge, scopes: [...has, ...needed], signal }, settings)
      return grant === undefined ? undefined : remember(grant)
    })
  }

  return {
    current,
    renew,
    widen,
    server,
    signIn: ({ scopes, signal }) =>
      inTurn(async () => {
        const grant = remember(await ask({ why: 'sign-in', scopes, signal }, settings))
        if (grant === undefined) throw signInRequired(undefined, settings)
        return grant
      }),
    forget: () => void remember(undefined),
  }
}

/** Of all who want it refreshed, here and in other processes, one does it, and the others find what it got. */
async function refreshLatest(
  used: StoredGrant,
  settings: Settings,
  server: Session['server'],
): Promise<StoredGrant | undefined> {
  const { store, key, now, onEvent } = settings
  return store.exclusively(key, async () => {
    const latest = usable(await store.grant(key), settings)
    if (latest === undefined || (latest.accessToken !== used.accessToken && !isDue(latest, now())))
      return latest
    if (latest.refreshToken === undefined) return undefined
    const next = await refresh(await server(latest.issuer), latest, settings)
    if (next === undefined) await store.deleteGrant(key)
    else {
      await store.setGrant(next)
      onEvent({ kind: 'refreshed', issuer: next.issuer, expiresAt: next.expiresAt })
    }
    return next
  })
}

/** A grant of another client or issuer than the configured one is none of ours. */
function usable(grant: StoredGrant | undefined, { clientId, issuer }: Settings): StoredGrant | undefined {
  if (clientId !== undefined && grant?.clientId !== clientId) return undefined
  if (issuer !== undefined && grant?.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, '')) return undefined
  return grant
}

function serverReader({ fetch, resource }: Settings): (issuer: string) => Promise<ServerMetadata> {
  const read = new Map<string, Promise<ServerMetadata>>()
  return (issuer) => {
    const reading =
      read.get(issuer) ?? readServerMetadata({ issuer, mayBeLocal: isLoopback(resource), fetch })
    read.set(issuer, reading)
    reading.catch(() => read.delete(issuer))
    return reading
  }
}
