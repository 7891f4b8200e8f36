import type { ApiClient } from '../client/api/api-client.ts'
import type { ServiceAccount } from '../client/api/service-account.ts'
import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { CredentialsPlace } from '../store/service-account-file.ts'
import { accountView } from '../store/service-account-view.ts'
import {
  createServiceAccounts,
  type ServiceAccountPlace,
  serviceAccountSort,
} from '../store/service-accounts.ts'
import type { ServiceAccount as AccountRow } from '../store/tables-service-accounts.ts'
import { type AccountPart, unknownAccount } from './service-account-calls.ts'
import { storedWalk } from './stored-walk.ts'
import type { OpenedStore } from './with-store.ts'

/** The service accounts, without a gateway. */
export function storedServiceAccounts({ store, config, now }: OpenedStore): AccountPart {
  const kept = createServiceAccounts(store, now)
  const known = async (email: string): Promise<AccountRow> => {
    const account = await kept.findByEmail(email)
    if (account === undefined) throw unknownAccount(email)
    return account
  }
  return {
    usualScopes: async () => [`${config.scopeBase}/cloud-platform`],
    serviceAccounts: storedList(kept.list),
    create: async ({ name, project, scopes }) =>
      kept.create({ ...placeOf(config), name, scopes, ...(project === undefined ? {} : { project }) }),
    switch: async (email, isDisabled) => {
      const { id } = await known(email)
      await kept.update(id, { isDisabled })
    },
    rotate: async (email, overlapSeconds) => {
      if ((await known(email)).disabled_at !== null)
        throw new Failure(
          'conflict',
          `${email} is disabled; enable it first with "postern service-accounts enable ${email}"`,
        )
      return kept.rotate(email, { ...placeOf(config), overlapSeconds })
    },
  }
}

type List = ReturnType<typeof createServiceAccounts>['list']

function storedList(read: List): ApiClient['serviceAccounts'] {
  const list = { id: 'service-accounts', sorts: { oldest: serviceAccountSort }, read, view: accountView }
  return (options) => storedWalk<ServiceAccountPlace, AccountRow, ServiceAccount>(list, options)
}

function placeOf({ server, authority }: Config): CredentialsPlace {
  return { universeDomain: new URL(server.publicUrl).hostname, tokenUri: `${authority.issuer}/token` }
}
