import { isStorable } from '../store/storable-text.ts'
import type { Store } from '../store/store.ts'
import type { AuthorityUser } from '../store/tables-authority.ts'
import { foldLogin } from './login.ts'

export interface User {
  readonly id: string
  readonly login: string
  readonly name: string
  readonly isAdmin: boolean
  readonly isDisabled: boolean
  /** Where this person signs in, unless with a password kept here. */
  readonly upstream: { readonly issuer: string; readonly subject: string } | undefined
  /** Microseconds since 1970. */
  readonly createdAt: number
  /** In whole seconds, as sign-ins are dated; what comes from a sign-in up to then counts no more. */
  readonly signedOutAt: number | undefined
}

/** Undefined for no row, so that it can be put around a query. */
export function readUser(row: AuthorityUser | undefined): User | undefined {
  if (row === undefined) return undefined
  const { upstream_issuer: issuer, upstream_subject: subject, signed_out_at: signedOut } = row
  return {
    id: row.id,
    login: row.login,
    name: row.display_name,
    isAdmin: row.is_admin === 1,
    isDisabled: row.disabled_at !== null,
    upstream: issuer === null || subject === null ? undefined : { issuer, subject },
    createdAt: row.created_at,
    signedOutAt: signedOut === null ? undefined : Math.floor(signedOut / second),
  }
}

export async function rowOfLogin({ db }: Store, login: string): Promise<AuthorityUser | undefined> {
  const folded = foldLogin(login)
  if (!isStorable(folded)) return undefined
  return db.selectFrom('authority_users').selectAll().where('login', '=', folded).executeTakeFirst()
}

const second = 1_000_000
