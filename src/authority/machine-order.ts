import { scopesOf } from '../store/service-account-lookup.ts'
import type { ServiceAccount } from '../store/tables-service-accounts.ts'
import { mintForServiceAccount } from './access-token.ts'
import type { AuthorityContext } from './context.ts'
import { refusal, type TokenAnswer } from './machine-answer.ts'
import { shortened } from './machine-fields.ts'
import type { Resource, Resources } from './resources.ts'

/** What a machine asks for, in the words of the request. */
export interface TokenWish {
  readonly scope: string | undefined
  readonly resource: string | undefined
}

export interface TokenOrder {
  readonly email: string
  readonly scopes: readonly string[]
  readonly resource: Resource
}

/** Refuses what the account may not have; scopes that the resource does not know are dropped. */
export function orderToken(resources: Resources, account: ServiceAccount, wish: TokenWish): TokenOrder {
  const asked = [...new Set((wish.scope ?? '').split(' ').filter((scope) => scope !== ''))]
  if (asked.length === 0) throw refusal('invalid_scope', 'name the scopes that you need in scope')
  const allowed = scopesOf(account)
  const beyond = asked.find((scope) => !allowed.includes(scope))
  if (beyond !== undefined) {
    throw refusal('invalid_scope', `the service account does not have the scope ${shortened(beyond)}`)
  }
  const resource = resourceOf(resources, asked, wish.resource)
  const scopes = asked.filter((scope) => resource.scopes.some(({ name }) => name === scope))
  if (scopes.length > 0) return { email: account.email, scopes, resource }
  throw refusal('invalid_scope', `none of these scopes belongs to ${resource.identifier}`)
}

export async function fillOrder(context: AuthorityContext, order: TokenOrder): Promise<TokenAnswer> {
  const { token, expiresIn } = await mintForServiceAccount(context, order)
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: expiresIn,
    scope: order.scopes.join(' '),
  }
}

function resourceOf(resources: Resources, scopes: readonly string[], named: string | undefined): Resource {
  if (named !== undefined) {
    const resource = resources.byIdentifier(named)
    if (resource !== undefined) return resource
    throw refusal('invalid_target', `there is no resource ${shortened(named)} here`)
  }
  const resource = resources.ofScopes(scopes)
  if (resource !== undefined) return resource
  throw refusal('invalid_target', 'these scopes do not belong to one resource; name it in resource')
}
