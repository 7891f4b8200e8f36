import { Failure } from '../failure/failure.ts'
import type { Presence } from './presence.ts'
import { cancelledCall } from './wire-failures.ts'

export type AccessToken = () => Promise<string>

/** Application Default Credentials; the library keeps the token and renews it in time. */
export function defaultCredentials(projectId: string): AccessToken {
  const opened = lazily(async () => {
    const { GoogleAuth } = await import('google-auth-library')
    // Without the project the library would ask Google which one it is.
    return new GoogleAuth({ projectId, scopes: ['https://www.googleapis.com/auth/cloud-platform'] })
  })
  return async () => {
    const auth = await opened()
    const token = await auth.getAccessToken()
    if (typeof token !== 'string') throw new Error('Application Default Credentials gave no token')
    return token
  }
}

export interface TokenWait {
  /** For messages: the name of the model. */
  readonly name: string
  readonly caller: Presence
  readonly mostMs?: number
}

/** Waits no longer than the caller does, nor than a token may take; fails with a Failure. */
export async function tokenInTime(accessToken: AccessToken, wait: TokenWait): Promise<string> {
  const { name, caller, mostMs = usualMostMs } = wait
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no token within ${mostMs} ms`)), mostMs)
  caller.listen(() => reject(cancelledCall()))
  try {
    return await Promise.race([accessToken(), ended])
  } catch (cause) {
    throw cause instanceof Failure ? cause : noCredentials(name, cause)
  } finally {
    clearTimeout(timer)
    caller.forget()
  }
}

const usualMostMs = 10_000

function noCredentials(name: string, cause: unknown): Failure {
  return new Failure('unavailable', `the gateway has no credentials for the upstream of ${name}`, {
    cause,
    reason: 'upstream_refused',
  })
}

/** A start that failed is tried again by the next call. */
function lazily<Thing>(open: () => Promise<Thing>): () => Promise<Thing> {
  let opened: Promise<Thing> | undefined
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
}
