import { hash, timingSafeEqual } from 'node:crypto'
import { errors, Provider } from 'oidc-provider'
import { createClientThrottle } from './client-throttle.ts'
import type { AuthorityContext } from './context.ts'

/** Every endpoint at which a client shows its secret compares it here; whoever guesses has to wait. */
export function throttleSecrets(
  provider: Provider,
  { store, now, log }: Pick<AuthorityContext, 'store' | 'now' | 'log'>,
): void {
  const throttle = createClientThrottle(store, now)
  provider.Client.prototype.compareClientSecret = async function throttled(secret) {
    const { clientId, clientSecret } = this
    const { ctx } = Provider
    const { wait, isRight } = await throttle({ clientId, address: ctx?.ip ?? '' }, async () =>
      isSame(clientSecret, secret),
    )
    if (wait > 0) {
      ctx?.set('retry-after', String(wait))
      throw tooManyGuesses(wait)
    }
    if (!isRight) log.info({ client_id: clientId }, 'a client was refused: its secret is another one')
    return isRight
  }
}

/** In the same time wherever they differ. */
function isSame(expected: string | undefined, given: string): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
  return expected !== undefined && timingSafeEqual(digest(expected), digest(given))
}

/** RFC 6585, section 4; RFC 6749 has no word of its own for it at the token endpoint. */
function tooManyGuesses(wait: number): errors.OIDCProviderError {
  const error = new errors.TemporarilyUnavailable(
    `too many wrong secrets for this client from this address: wait ${wait} seconds`,
  )
  return Object.assign(error, { status: 429, statusCode: 429 })
}
