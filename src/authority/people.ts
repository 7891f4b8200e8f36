import { type Consents, createConsents } from './consents.ts'
import type { AuthorityContext } from './context.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import { createThrottle, type Throttle } from './throttle.ts'
import { createUpstream, type Upstream } from './upstream.ts'
import { createUpstreamLogins, type UpstreamLogins } from './upstream-logins.ts'
import { createUsers, type Users } from './users.ts'

/** What the pages for people work with. */
export interface People {
  readonly context: AuthorityContext
  readonly users: Users
  readonly consents: Consents
  readonly throttle: Throttle
  readonly upstream: Upstream | undefined
  readonly upstreamLogins: UpstreamLogins
  /** Whoever goes to the upstream leaves a record behind. */
  readonly waitForUpstream: RateLimit
}

export function createPeople(context: AuthorityContext): People {
  const { store, now, config, passwordCost } = context
  const { upstream, issuer } = config.authority
  return {
    context,
    users: createUsers(store, now, passwordCost),
    consents: createConsents(store, now),
    throttle: createThrottle(store, now),
    upstream: upstream === undefined ? undefined : createUpstream(upstream, `${issuer}/upstream/callback`),
    upstreamLogins: createUpstreamLogins(store, now),
    waitForUpstream: createRateLimit(store, now, { name: 'upstream', most: 200, seconds: 600 }),
  }
}
