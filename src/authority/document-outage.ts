import { errors, Provider } from 'oidc-provider'
import { Failure } from '../failure/failure.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import type { AuthorityContext } from './context.ts'
import { errorWords } from './error-words.ts'
import { createRateLimit } from './rate-limit.ts'

/** Otherwise a stranger could have us call others as often as they like. */
export function createMayFetch(store: Store, now: Clock): () => Promise<boolean> {
  const waitToFetch = createRateLimit(store, now, { name: 'document', most: 300, seconds: 3600 })
  return async () => {
    // Our own pages ask outside of a request to the provider, about a client that was let in before.
    const { ctx } = Provider
    return ctx === undefined || (await waitToFetch(ctx.ip)) === 0
  }
}

/** A client whose document cannot be read for a moment must not be called unknown: it would throw its tokens away. */
export function answerOutages(provider: Provider, { log }: Pick<AuthorityContext, 'log'>): void {
  const find = provider.Client.find.bind(provider.Client)
  provider.Client.find = async (id) => {
    try {
      return await find(id)
    } catch (error) {
      if (!isOutage(error)) throw error
      log.info({ client_id: id, reason: errorWords(error) }, 'the document of a client could not be read')
      Provider.ctx?.set('retry-after', String(retrySeconds))
      throw unreadable()
    }
  }
}

const retrySeconds = 30

function isOutage(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Failure && cause.code === 'unavailable'
}

/** RFC 6749 has no word of its own for it at the token endpoint. */
function unreadable(): errors.OIDCProviderError {
  const error = new errors.TemporarilyUnavailable(
    'the metadata document of this client cannot be read at this moment: try again in a minute',
  )
  return Object.assign(error, { status: 503, statusCode: 503 })
}
