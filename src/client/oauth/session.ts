import { ask, signInRequired } from './asking.ts'
import type { BearerChallenge } from './challenge.ts'
import { isDue, isExpired } from './grant.ts'
import { oneAtATime, type Turns } from './one-at-a-time.ts'
import { type OneQuestion, oneQuestion } from './one-question.ts'
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
  readonly moment: () => number
}

interface Refusal {
  /** What was sent and refused. */
  readonly used: StoredGrant | undefined
  readonly challenge: BearerChallenge | undefined
  readonly signal?: AbortSignal | undefined
  /** The moment when the call began: what a person was asked since then is not asked again for it. */
  readonly since: number
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
  const state = stateOf(settings)
  return {
    current: () => current(state),
    renew: (refusal) => renew(refusal, state),
    widen: (refusal) => widen(refusal, state),
    signIn: (order) => signIn(order, state),
    server: state.server,
    moment: state.people.moment,
    forget: () => {
      state.known = undefined
      state.people.forget()
    },
  }
}

interface State {
  readonly settings: Settings
  readonly server: Session['server']
  /** For what is short: who needs a refresh never waits for a person. */
  readonly inTurn: Turns
  readonly people: OneQuestion
  readonly kept: () => Promise<StoredGrant | undefined>
  /** What the store had when it was last looked at. */
  known: StoredGrant | undefined
}

function stateOf(settings: Settings): State {
  return {
    settings,
    server: serverReader(settings),
    inTurn: oneAtATime(),
    people: oneQuestion(),
    kept: async () => usable(await settings.store.grant(settings.key), settings),
    known: undefined,
  }
}

async function current(state: State): Promise<StoredGrant | undefined> {
  const { now } = state.settings
  if (state.known !== undefined && !isDue(state.known, now())) return state.known
  return state.inTurn(async () => {
    state.known ??= await state.kept()
    const grant = state.known
    if (grant === undefined || !isDue(grant, now())) return grant
    try {
      const next = await refreshed(grant, state)
      if (next !== undefined || isExpired(grant, now())) return next
    } catch (error) {
      // It is still good for a while, and the issuer may be back by then.
      if (isExpired(grant, now())) throw error
    }
    return grant
  })
}

async function renew(refusal: Refusal, state: State): Promise<Renewal> {
  const { used, challenge, signal, since, isFresh = false } = refusal
  const { settings } = state
  const found = async (): Promise<StoredGrant | undefined> => {
    const grant = await state.kept()
    const isNew = grant !== undefined && grant.accessToken !== used?.accessToken
    return isNew && !isExpired(grant, settings.now()) ? grant : undefined
  }
  const renewed = await state.inTurn(async (): Promise<Renewal | undefined> => {
    const other = await found()
    if (other !== undefined) return taken({ grant: other, how: 'found' }, state)
    const latest = isFresh ? undefined : await state.kept()
    const next = latest === undefined ? undefined : await refreshed(latest, state)
    const isNew = next !== undefined && next.accessToken !== used?.accessToken
    return isNew ? { grant: next, how: 'refreshed' } : undefined
  })
  if (renewed !== undefined) return renewed
  const { grant, how } = await state.people.ask({
    name: questionName('sign-in', challenge),
    since,
    found,
    ask: () => ask({ why: 'sign-in', challenge, signal }, settings),
    signal,
  })
  if (grant === undefined) throw signInRequired(challenge, settings)
  return taken({ grant, how }, state)
}

async function widen(refusal: Refusal, state: State): Promise<StoredGrant | undefined> {
  const { used, challenge, signal, since } = refusal
  const needed = challenge?.scopes ?? []
  const latest = async (): Promise<StoredGrant | undefined> => (await state.kept()) ?? used
  const found = async (): Promise<StoredGrant | undefined> => {
    const grant = await latest()
    return needed.every((scope) => grant?.scopes.includes(scope)) ? grant : undefined
  }
  const covering = await found()
  if (covering !== undefined)
    return covering.accessToken === used?.accessToken
      ? undefined
      : taken({ grant: covering, how: 'found' }, state).grant
  const { grant } = await state.people.ask({
    name: questionName('step-up', challenge),
    since,
    found,
    ask: async () => {
      const scopes = [...((await latest())?.scopes ?? []), ...needed]
      return ask({ why: 'step-up', challenge, scopes, signal }, state.settings)
    },
    signal,
  })
  state.known = grant ?? state.known
  return grant
}

async function signIn({ scopes, signal }: SignInOrder, state: State): Promise<StoredGrant> {
  const { settings } = state
  const { grant } = await state.people.ask({
    since: state.people.moment(),
    found: async () => undefined,
    ask: () => ask({ why: 'sign-in', scopes, signal }, settings),
    signal,
  })
  if (grant === undefined) throw signInRequired(undefined, settings)
  return taken({ grant, how: 'signed-in' }, state).grant
}

function taken(renewal: Renewal, state: State): Renewal {
  state.known = renewal.grant
  return renewal
}

async function refreshed(used: StoredGrant, state: State): Promise<StoredGrant | undefined> {
  state.known = await refreshLatest(used, state.settings, state.server)
  return state.known
}

function questionName(why: string, challenge: BearerChallenge | undefined): string {
  return [why, ...(challenge?.scopes ?? []).toSorted()].join(' ')
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
