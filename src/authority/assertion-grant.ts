import { createServiceAccounts } from '../store/service-accounts.ts'
import { checkAssertion } from './assertion-check.ts'
import { spendAssertion } from './assertion-replay.ts'
import type { AuthorityContext } from './context.ts'
import { refusal, type TokenAnswer } from './machine-answer.ts'
import { readFields, requireToken } from './machine-fields.ts'
import { fillOrder, orderToken } from './machine-order.ts'
import type { Exchange } from './route.ts'

export const assertionGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** RFC 7523: a service account trades an assertion that it signed for an access token. */
export function createAssertionGrant(
  context: AuthorityContext,
): (exchange: Exchange) => Promise<TokenAnswer> {
  const { config, store, now, resources } = context
  const accounts = createServiceAccounts(store, now)
  const { issuer } = config.authority
  const audiences = [issuer, new URL('/token', issuer).href, ...googleTokenUrls]
  return async ({ form }) => {
    const fields = readFields(form)
    const assertion = await checkAssertion(requireToken(fields, 'assertion'), { accounts, audiences, now })
    const wish = {
      scope: oneScope(assertion.scope, fields.get('scope')),
      resource: fields.get('resource'),
    }
    const order = orderToken(resources, assertion.account, wish)
    await spendAssertion(store, assertion)
    const answer = await fillOrder(context, order)
    await accounts.touch(assertion.kid)
    return answer
  }
}

/** The official clients name Google's endpoint in `aud` whatever URL they post to. */
const googleTokenUrls = [
  'https://oauth2.googleapis.com/token',
  'https://www.googleapis.com/oauth2/v4/token',
] as const

/** Were one of two preferred, a client that narrows the other would get more than it asked for. */
function oneScope(claimed: string | undefined, given: string | undefined): string | undefined {
  if (claimed === undefined || given === undefined || claimed === given) return claimed ?? given
  throw refusal('invalid_request', 'the scope of the assertion and the field scope must be the same')
}
