import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Clock } from '../store/clock.ts'
import { rowId } from '../store/row-id.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import type { AuthorityUser } from '../store/tables-authority.ts'
import { foldLogin, requireLogin } from './login.ts'
import { hashPassword, passwordComplaint, type ScryptCost } from './passwords.ts'
import { readUser, rowOfLogin, type User } from './user-row.ts'

export interface Desk {
  readonly store: Store
  readonly now: Clock
  readonly cost: ScryptCost
}

export interface NewUser {
  readonly login: string
  readonly name: string
  readonly password: string
  readonly isAdmin: boolean
}

export async function addUser({ store, now, cost }: Desk, user: NewUser): Promise<User> {
  const login = requireLogin(user.login)
  const password = await checkedHash(user.password, login, cost)
  const createdAt = now()
  const row = {
    id: rowId(createdAt, randomBytes(8)),
    login,
    display_name: user.name.trim() === '' ? login : user.name.trim(),
    password,
    is_admin: user.isAdmin ? 1 : 0,
    created_at: createdAt,
    updated_at: createdAt,
  }
  const added = await store.db
    .insertInto('authority_users')
    .values(row)
    .onConflict((conflict) => conflict.column('login').doNothing())
    .returningAll()
    .executeTakeFirst()
  const read = readUser(added)
  if (read !== undefined) return read
  throw new Failure('conflict', `there is a user "${login}" already: choose another login`, {
    field: 'login',
  })
}

/** Whoever knew the old password may have signed in with it, so all that came of it ends. */
export async function setPassword(desk: Desk, login: string, password: string): Promise<void> {
  const user = readUser(await rowOfLogin(desk.store, login))
  if (user?.upstream !== undefined) {
    throw new Failure(
      'conflict',
      `"${user.login}" signs in at ${user.upstream.issuer} and has no password here`,
    )
  }
  const hash = await checkedHash(password, foldLogin(login), desk.cost)
  await signOutWith(desk, login, { password: hash })
}

export async function setAdmin(desk: Desk, login: string, isAdmin: boolean): Promise<void> {
  const user = readUser(await rowOfLogin(desk.store, login))
  if (user?.upstream !== undefined) {
    throw new Failure(
      'conflict',
      `"${user.login}" signs in at ${user.upstream.issuer}, and authority.upstream.admins says who of them is one`,
    )
  }
  await updateUser(desk.store.db, login, { is_admin: isAdmin ? 1 : 0, updated_at: desk.now() })
}

/** Once more for somebody who is disabled already does no harm. */
export function disableUser(desk: Desk, login: string): Promise<void> {
  return signOutWith(desk, login, { disabled_at: desk.now() })
}

export async function enableUser({ store, now }: Desk, login: string): Promise<void> {
  await updateUser(store.db, login, { disabled_at: null, updated_at: now() })
}

export async function removeUser({ store }: Desk, login: string): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    const removed = await db
      .deleteFrom('authority_users')
      .where('login', '=', foldLogin(login))
      .returning('id')
      .executeTakeFirst()
    if (removed === undefined) throw noSuchUser(login)
    await forgetAll(db, removed.id)
  })
}

/**
 * The time is kept besides, because a request that is under way writes its session again, and a password that is being
 * looked at may be the old one.
 */
async function signOutWith(
  { store, now }: Desk,
  login: string,
  change: Partial<AuthorityUser>,
): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    const at = now()
    await forgetAll(db, await updateUser(db, login, { ...change, signed_out_at: at, updated_at: at }))
  })
}

/** Sessions, sign-ins that are half done, codes, tokens, and what the person has allowed. */
async function forgetAll(db: Kysely<StoreSchema>, userId: string): Promise<void> {
  await db.deleteFrom('authority_records').where('account_id', '=', userId).execute()
  await db.deleteFrom('authority_consents').where('user_id', '=', userId).execute()
}

async function updateUser(
  db: Kysely<StoreSchema>,
  login: string,
  change: Partial<AuthorityUser>,
): Promise<string> {
  const updated = await db
    .updateTable('authority_users')
    .set(change)
    .where('login', '=', foldLogin(login))
    .returning('id')
    .executeTakeFirst()
  if (updated === undefined) throw noSuchUser(login)
  return updated.id
}

async function checkedHash(password: string, login: string, cost: ScryptCost): Promise<string> {
  const complaint = passwordComplaint(password, login)
  if (complaint !== undefined) throw new Failure('invalid-request', complaint, { field: 'password' })
  return hashPassword(password, cost)
}

function noSuchUser(login: string): Failure {
  return new Failure('not-found', `there is no user "${foldLogin(login)}"`, { field: 'login' })
}
