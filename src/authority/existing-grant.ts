import type { Configuration, Grant, KoaContextWithOIDC } from 'oidc-provider'
import type { Store } from '../store/store.ts'
import type { Consents } from './consents.ts'
import { updateGrant } from './record-life.ts'
import type { Resources } from './resources.ts'
import type { User } from './user-row.ts'
import type { Users } from './users.ts'

export interface GrantMemory {
  readonly users: Pick<Users, 'findById'>
  readonly consents: Pick<Consents, 'findGrantId'>
  readonly resources: Resources
  readonly store: Store
}

/** What a person allowed a client before, in this browser or another, so that they are not asked for it again. */
export function createLoadExistingGrant(
  memory: GrantMemory,
): NonNullable<Configuration['loadExistingGrant']> {
  const { users, consents, resources, store } = memory
  return async ({ oidc }) => {
    const { client, provider, result, account } = oidc
    if (client === undefined || account === undefined) return undefined
    const given = result?.consent?.grantId
    const grantId = given ?? (await consents.findGrantId(account.accountId, client.clientId))
    const grant = grantId === undefined ? undefined : await provider.Grant.find(grantId)
    if (grant?.accountId !== account.accountId || grant.clientId !== client.clientId) return undefined
    const user = await users.findById(account.accountId)
    if (user !== undefined && settleAdminScopes(grant, user, resources)) await updateGrant(store, grant)
    return grant
  }
}

/**
 * Where no page was shown, what the person allowed before holds in a grant of this sign-in's own: tokens that are taken back
 * are those of this sign-in, not those of the same client on the person's other machines.
 */
export async function separateGrant(
  { oidc }: KoaContextWithOIDC,
  token: { grantId?: string | undefined },
  shortSeconds: number,
): Promise<void> {
  const { grant: before, result, provider, client } = oidc
  if (before === undefined || result?.consent?.grantId !== undefined) return
  const { accountId, clientId, openid, resources, rejected } = before
  // Without refresh tokens nothing of it outlives the one access token, and such a client may come every few minutes.
  const life = client?.grantTypeAllowed('refresh_token') === false ? { expiresIn: shortSeconds } : {}
  const own = Object.assign(new provider.Grant({ accountId, clientId }), {
    openid,
    resources,
    rejected,
    ...life,
  })
  token.grantId = await own.save()
}

/**
 * Scopes for administrators follow the person: who no longer is one loses them, and who has become one is asked for
 * those that were withheld. Says whether the grant changed.
 */
function settleAdminScopes(grant: Grant, { isAdmin }: Pick<User, 'isAdmin'>, { all }: Resources): boolean {
  const changes = all.map(({ identifier, scopes }) => {
    const guarded = scopes.filter(({ isAdminOnly }) => isAdminOnly).map(({ name }) => name)
    if (isAdmin) return askAgain(grant, identifier, guarded)
    const lost = guarded.filter((name) => words(grant.getResourceScope(identifier)).includes(name))
    if (lost.length > 0) grant.rejectResourceScope(identifier, lost)
    return lost.length > 0
  })
  return changes.includes(true)
}

function askAgain(grant: Grant, identifier: string, guarded: readonly string[]): boolean {
  const rejected = grant.rejected?.resources
  const withheld = words(rejected?.[identifier])
  const left = withheld.filter((name) => !guarded.includes(name))
  if (rejected === undefined || left.length === withheld.length) return false
  rejected[identifier] = left.join(' ')
  const granted = grant.resources?.[identifier]
  if (grant.resources !== undefined && granted !== undefined) {
    grant.resources[identifier] = words(granted)
      .filter((name) => !withheld.includes(name))
      .join(' ')
  }
  return true
}

export function words(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split(' ')
}
