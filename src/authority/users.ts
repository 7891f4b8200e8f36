import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { type ScryptCost, strongCost, verifyPassword } from './passwords.ts'
import {
  addUser,
  type Desk,
  disableUser,
  enableUser,
  type NewUser,
  removeUser,
  setAdmin,
  setPassword,
} from './user-changes.ts'
import { readUser, rowOfLogin, type User } from './user-row.ts'

interface UserPage {
  readonly users: readonly User[]
  /** The `after` of the next page; undefined on the last. */
  readonly next: string | undefined
}

/** The people who can sign in. Logins are compared in lower case and without spaces around them. */
export interface Users {
  readonly findById: (id: string) => Promise<User | undefined>
  readonly findByLogin: (login: string) => Promise<User | undefined>
  /** The user whose password this is; it takes the same time whether or not there is one. */
  readonly signIn: (login: string, password: string) => Promise<User | undefined>
  readonly add: (user: NewUser) => Promise<User>
  /** Ends every session and token of theirs. */
  readonly setPassword: (login: string, password: string) => Promise<void>
  readonly setAdmin: (login: string, isAdmin: boolean) => Promise<void>
  /** Ends every session and token of theirs; from then on they cannot sign in. */
  readonly disable: (login: string) => Promise<void>
  readonly enable: (login: string) => Promise<void>
  /** Takes the user away for good: a later user of the same login is somebody else. */
  readonly remove: (login: string) => Promise<void>
  /** In the order of logins, at most 200 at once. */
  readonly list: (page?: { readonly limit?: number; readonly after?: string }) => Promise<UserPage>
}

export function createUsers(store: Store, now: Clock, cost: ScryptCost = strongCost): Users {
  const desk: Desk = { store, now, cost }
  return {
    findById: async (id) =>
      readUser(
        await store.db.selectFrom('authority_users').selectAll().where('id', '=', id).executeTakeFirst(),
      ),
    findByLogin: async (login) => readUser(await rowOfLogin(store, login)),
    signIn: (login, password) => signIn(desk, login, password),
    add: (user) => addUser(desk, user),
    setPassword: (login, password) => setPassword(desk, login, password),
    setAdmin: (login, isAdmin) => setAdmin(desk, login, isAdmin),
    disable: (login) => disableUser(desk, login),
    enable: (login) => enableUser(desk, login),
    remove: (login) => removeUser(desk, login),
    list: (page = {}) => listUsers(store, page),
  }
}

async function signIn({ store, cost }: Desk, login: string, password: string): Promise<User | undefined> {
  const row = await rowOfLogin(store, login)
  const hash = row?.disabled_at === null ? row.password : null
  return (await verifyPassword(password, hash ?? undefined, cost)) ? readUser(row) : undefined
}

async function listUsers(
  store: Store,
  { limit = 50, after = '' }: { readonly limit?: number; readonly after?: string },
): Promise<UserPage> {
  const size = Math.min(Math.max(1, Math.floor(limit)), largestPage)
  const found = await store.db
    .selectFrom('authority_users')
    .selectAll()
    .where('login', '>', after)
    .orderBy('login')
    .limit(size + 1)
    .execute()
  const users = found.slice(0, size).flatMap((row) => readUser(row) ?? [])
  return { users, next: found.length > size ? users.at(-1)?.login : undefined }
}

const largestPage = 200
