import { errors } from 'oidc-provider'
import { Failure } from '../failure/failure.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import type { AuthorityContext } from './context.ts'
import { createRateLimit } from './rate-limit.ts'
import { unusedClient, unusedClientSeconds } from './record-row.ts'
import type { Route } from './route.ts'

/** Anybody may register a client, but not fill the store with them. The provider does the rest. */
export function createRegistrationRoute({ store, now, log }: AuthorityContext): Route {
  const waitFor = createRateLimit(store, now, { name: 'register', most: mostPerHour, seconds: 3600 })
  return {
    method: 'POST',
    // The provider takes its paths in any case, and with a slash behind.
    path: /^\/register\/?$/i,
    // Ten addresses to come back to and ten after a sign-out, of 2048 characters each, and the rest.
    largestBody: 49_152,
    handle: async ({ address, body, forward }) => {
      const wait = await waitFor(address)
      if (wait > 0) throw tooMany(`too many registrations from this address: wait ${wait} seconds`, wait)
      if (!(await hasRoom(store, now))) {
        log.warn('a registration was refused: too many registered clients were never used')
        throw tooMany('too many clients are waiting for their first use: try again later', 3600)
      }
      refuseOddAlgorithms(body)
      return forward()
    },
  }
}

function tooMany(message: string, retryAfterSeconds: number): Failure {
  return new Failure('limit-exceeded', message, { retryAfterSeconds })
}

/** The provider matches them against patterns before it knows that they are texts, which calls what JSON names `toString`. */
function refuseOddAlgorithms(body: Buffer): void {
  const odd = Object.entries(parsed(body)).find(
    ([name, value]) => name.endsWith('_alg') && typeof value !== 'string',
  )
  if (odd !== undefined) throw new errors.InvalidClientMetadata(`${odd[0]} must be a string`)
}

/** What is no JSON object is left to the provider to refuse. */
function parsed(body: Buffer): object {
  try {
    return Object(JSON.parse(body.toString()))
  } catch {
    return {}
  }
}

const mostPerHour = 200
const mostUnused = 10_000

/** Where there is no room, the one that waits longest makes it, but not before it had a day. */
async function hasRoom({ db }: Store, now: Clock): Promise<boolean> {
  const time = now()
  const unused = db
    .selectFrom('authority_records')
    .select('id')
    .where('kind', '=', 'Client')
    .where('uid', '=', unusedClient)
  const waiting = await unused.where('expires_at', '>', time).limit(mostUnused).execute()
  if (waiting.length < mostUnused) return true
  const oldest = unused
    .where('expires_at', '<=', time + (unusedClientSeconds - 86_400) * second)
    .orderBy('expires_at')
    .limit(1)
  const { numDeletedRows } = await db
    .deleteFrom('authority_records')
    .where('kind', '=', 'Client')
    .where('id', 'in', oldest)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const second = 1_000_000
