import { scopesOf } from './service-account-lookup.ts'
import type { ServiceAccount } from './tables-service-accounts.ts'
import { timestamp, timestampOrNull } from './timestamp.ts'

/** A service account as people and programs are shown it. Times in RFC 3339. */
export interface ServiceAccountView extends Pick<ServiceAccount, 'id' | 'email' | 'name' | 'project'> {
  readonly state: 'active' | 'disabled'
  /** The most that its tokens may hold. */
  readonly scopes: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  readonly disabled_at: string | null
}

export function accountView(account: ServiceAccount): ServiceAccountView {
  return {
    id: account.id,
    email: account.email,
    name: account.name,
    project: account.project,
    state: account.disabled_at === null ? 'active' : 'disabled',
    scopes: scopesOf(account),
    created_at: timestamp(account.created_at),
    updated_at: timestamp(account.updated_at),
    disabled_at: timestampOrNull(account.disabled_at),
  }
}
