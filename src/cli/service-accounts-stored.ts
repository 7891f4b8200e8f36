import type { ApiClient } from '../client/api/api-client.ts'
import type { ServiceAccount } from '../client/api/service-account.ts'
import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import type { CredentialsPlace } from '../store/service-account-file.ts'
import { scopesOf } from '../store/service-account-lookup.ts'
import {
  createServiceAccounts,
  type ServiceAccountPlace,
  serviceAccountSort,
} from '../store/service-accounts.ts'
import type { ServiceAccount as AccountRow } from '../store/tables-service-accounts.ts'
import { timestamp, timestampOrNull } from '../store/timestamp.ts'
import { type AccountPart, unknownAccount } from './service-account-calls.ts'
import { storedWalk } from './stored-walk.ts'
import type { OpenedStore } from './with-store.ts'

/** The service accounts, without a gateway. */
export function storedServiceAccounts({ store, config, now }: OpenedStore): AccountPart {
  const kept = createServiceAccounts(store, now)
  return {
    usualScopes: async () => [`${config.scopeBase}/cloud-platform`],
    serviceAccounts: storedList(kept.list),
    create: async ({ name, project, scopes }) =>
      kept.create({ ...placeOf(config), name, scopes, ...(project === undefined ? {} : { project }) }),
    disable: async (email) => {
      if (await kept.disable(email)) return
      const isThere = (await kept.findByEmail(email)) !== undefined
      throw isThere ? new Failure('conflict', `${email} is disabled already`) : unknownAccount(email)
    },
    rotate: async (email, overlapSeconds) => {
      const account = await kept.findByEmail(email)
      if (account === undefined) throw unknownAccount(email)
      if (account.disabled_at !== null) throw new Failure('conflict', `${email} is disabled; enable it first`)
      return kept.rotate(email, { ...placeOf(config), overlapSeconds })
    },
  }
}

type List = ReturnType<typeof createServiceAccounts>['list']

function storedList(read: List): ApiClient['serviceAccounts'] {
  const list = { id: 'service-accounts', sorts: { oldest: serviceAccountSort }, read, view: wireAccount }
  return (options) => storedWalk<ServiceAccountPlace, AccountRow, ServiceAccount>(list, options)
}

function placeOf({ server, authority }: Config): CredentialsPlace {
  return { universeDomain: new URL(server.publicUrl).hostname, tokenUri: `${authority.issuer}/token` }
}

function wireAccount(row: AccountRow): ServiceAccount {
  const { id, email, name, project } = row
  return {
    id,
    email,
    name,
    project,
    state: row.disabled_at === null ? 'active' : 'disabled',
    scopes: scopesOf(row),
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    disabled_at: timestampOrNull(row.disabled_at),
  }
}
