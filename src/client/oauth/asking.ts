import { ClientError } from '../client-error.ts'
import type { BearerChallenge } from './challenge.ts'
import { keepClient } from './client-identity.ts'
import { type Discovered, discover } from './discovery.ts'
import type { SignInQuestion } from './oauth-options.ts'
import type { Redirect } from './redirect.ts'
import type { Settings } from './settings.ts'
import { type SignedIn, signIn } from './sign-in.ts'
import type { StoredGrant } from './token-store.ts'

export interface Asking {
  readonly why: SignInQuestion['why']
  readonly challenge?: BearerChallenge | undefined
  /** In place of what the server says a caller needs. */
  readonly scopes?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Sends the person to sign in and keeps what they grant; nothing where they may not be asked. */
export async function ask(asking: Asking, settings: Settings): Promise<StoredGrant | undefined> {
  const { redirect, store, key, onEvent } = settings
  if (redirect === undefined || settings.mayAsk === false) return undefined
  // It may have waited for its turn, and nobody wants it any more.
  asking.signal?.throwIfAborted()
  const discovered = await discover(settings, asking.challenge)
  const { issuer } = discovered.server
  onEvent({ kind: 'discovered', resource: key, issuer })
  const scopes = scopesFor(asking, discovered, settings)
  const question = { issuer, resource: key, scopes, why: asking.why }
  if (typeof settings.mayAsk === 'function' && !(await settings.mayAsk(question))) return undefined
  onEvent({ kind: 'asked', ...question })
  const late = AbortSignal.timeout(settings.signInTimeoutMs)
  const signal = asking.signal === undefined ? late : AbortSignal.any([asking.signal, late])
  const { grant, registration } = await signInAt({ discovered, scopes, redirect, signal }, settings)
  await store.exclusively(key, () => store.setGrant(grant))
  if (registration !== undefined) await keepClient(registration, store)
  onEvent({ kind: 'signed-in', issuer, scopes: grant.scopes })
  return grant
}

export function signInRequired(challenge: BearerChallenge | undefined, { key }: Settings): ClientError {
  const told = challenge?.description ?? challenge?.error
  const why = told === undefined ? '' : ` (the server says: ${told})`
  return new ClientError('sign_in_required', `sign in to ${key} first${why}`, {
    status: 401,
    reason: challenge?.error,
    scopes: challenge?.scopes,
    resource: key,
  })
}

interface Visit {
  readonly discovered: Discovered
  readonly scopes: readonly string[]
  readonly redirect: Redirect
  readonly signal: AbortSignal
}

async function signInAt({ discovered, ...visit }: Visit, settings: Settings): Promise<SignedIn> {
  const { server, resource } = discovered
  try {
    return await signIn({ ...visit, server, resource: settings.key, audience: resource.resource }, settings)
  } catch (error) {
    throw isLate(error) ? tooLate(settings) : error
  }
}

function isLate(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

function tooLate({ key, signInTimeoutMs }: Settings): ClientError {
  const seconds = Math.ceil(signInTimeoutMs / 1000)
  return new ClientError('sign_in_timeout', `nobody signed in to ${key} within ${seconds} seconds`)
}

/** RFC 9728 and MCP: what the challenge names, else all that the resource has; and leave to stay connected. */
function scopesFor(asking: Asking, { resource, server }: Discovered, settings: Settings): readonly string[] {
  const challenged = asking.challenge?.scopes ?? []
  const needed = challenged.length > 0 ? challenged : resource.scopes
  const scopes = asking.scopes ?? settings.scopes ?? needed
  const canStay = scopes.length > 0 && server.scopes_supported?.includes('offline_access') === true
  return [...new Set([...scopes, ...(canStay ? ['offline_access'] : [])])]
}
