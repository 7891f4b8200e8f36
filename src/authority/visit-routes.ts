import { Failure } from '../failure/failure.ts'
import type { AuthorityContext } from './context.ts'
import { createRateLimit } from './rate-limit.ts'
import type { Exchange, Route } from './route.ts'

/** Each of these leaves a sign-in, a session or a code in the store, for anybody. The provider does the rest. */
export function createVisitRoutes({ store, now }: Pick<AuthorityContext, 'store' | 'now'>): readonly Route[] {
  const waitFor = createRateLimit(store, now, { name: 'visit', most: mostVisits, seconds: 600 })
  const handle = async ({ address, forward }: Exchange): Promise<void> => {
    const wait = await waitFor(address)
    if (wait === 0) return forward()
    throw new Failure('limit-exceeded', `Too many sign-ins from this address: wait ${wait} seconds.`, {
      retryAfterSeconds: wait,
    })
  }
  return [
    // The provider takes its paths in any case, and with a slash behind.
    { method: 'GET', path: /^\/(?:authorize|end-session)(?:\/|$)/i, handle },
    { method: 'POST', path: /^\/end-session\/confirm\/?$/i, handle },
  ]
}

/** A sign-in takes three. */
const mostVisits = 600
