import { randomBytes } from 'node:crypto'
import { Failure } from '../failure/failure.ts'
import type { Clock } from '../store/clock.ts'
import { rowId } from '../store/row-id.ts'
import type { Store } from '../store/store.ts'
import type { AuthorityUser } from '../store/tables-authority.ts'
import { displayText } from './html.ts'
import { foldLogin, requireLogin } from './login.ts'
import type { UpstreamPerson } from './upstream-exchange.ts'
import type { UpstreamConfig } from './upstream-metadata.ts'
import { readUser, type User } from './user-row.ts'

/**
 * The user that an upstream's person is, made at their first sign-in. They are known by issuer and subject alone: a login
 * that somebody else has here is refused, never taken over.
 */
export async function upstreamUser(
  { store, now }: { readonly store: Store; readonly now: Clock },
  config: UpstreamConfig,
  person: UpstreamPerson,
): Promise<User> {
  const login = loginOf(person, config)
  const found = await findByPerson(store, person)
  if (found !== undefined && found.disabled_at !== null) {
    throw new Failure('forbidden', 'This account is disabled. Ask whoever runs this gateway.')
  }
  const described = {
    display_name: nameOf(person) ?? login,
    is_admin: isAdminLogin(login, config) ? 1 : 0,
    updated_at: now(),
  }
  const user =
    found === undefined
      ? await addPerson({ store, now }, person, { ...described, login })
      : await updatePerson(store, found, { ...described, login })
  if (user !== undefined) return user
  throw new Failure(
    'conflict',
    `There is another account “${login}” here already, and it does not belong to your account at ${config.name}. Use that account's own way to sign in, or ask whoever runs this gateway.`,
  )
}

/** Who the configuration no longer names is no administrator, and need not sign in first to learn it. */
export async function demoteUpstreamAdmins({ db }: Store, config: UpstreamConfig | undefined): Promise<void> {
  const admins = await db
    .selectFrom('authority_users')
    .select(['id', 'login'])
    .where('upstream_issuer', 'is not', null)
    .where('is_admin', '=', 1)
    .execute()
  for (const { id, login } of admins) {
    if (config !== undefined && isAdminLogin(login, config)) continue
    await db.updateTable('authority_users').set({ is_admin: 0 }).where('id', '=', id).execute()
  }
}

function isAdminLogin(login: string, { admins }: UpstreamConfig): boolean {
  return admins.some((admin) => foldLogin(admin) === login)
}

function loginOf({ claims }: UpstreamPerson, { loginClaim, name }: UpstreamConfig): string {
  const value = claims[loginClaim]
  if (typeof value !== 'string' || value === '') {
    throw new Failure('forbidden', `${name} did not say who you are: its answer has no “${loginClaim}”.`)
  }
  if (loginClaim === 'email' && claims.email_verified !== true) {
    throw new Failure(
      'forbidden',
      `${name} has not verified your e-mail address. Verify it there, then try again.`,
    )
  }
  return requireLogin(value)
}

function nameOf({ claims }: UpstreamPerson): string | undefined {
  const name = typeof claims.name === 'string' ? displayText(claims.name) : ''
  return name === '' ? undefined : name
}

type Described = Pick<AuthorityUser, 'display_name' | 'is_admin' | 'updated_at' | 'login'>

async function findByPerson(
  store: Store,
  { issuer, subject }: UpstreamPerson,
): Promise<AuthorityUser | undefined> {
  return store.db
    .selectFrom('authority_users')
    .selectAll()
    .where('upstream_issuer', '=', issuer)
    .where('upstream_subject', '=', subject)
    .executeTakeFirst()
}

/** Undefined when somebody else has the login; two first sign-ins at once end with one user. */
async function addPerson(
  { store, now }: { readonly store: Store; readonly now: Clock },
  person: UpstreamPerson,
  described: Described,
): Promise<User | undefined> {
  const createdAt = now()
  const row = {
    ...described,
    id: rowId(createdAt, randomBytes(8)),
    password: null,
    upstream_issuer: person.issuer,
    upstream_subject: person.subject,
    created_at: createdAt,
    disabled_at: null,
  }
  const insert = store.db.insertInto('authority_users').values(row)
  const added = await insert
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
  return readUser(added ?? (await findByPerson(store, person)))
}

/** A login that changed upstream is followed, unless somebody else has the new one: then its office is not theirs either. */
async function updatePerson(
  store: Store,
  { id }: AuthorityUser,
  { login, ...described }: Described,
): Promise<User | undefined> {
  const holder = await store.db
    .selectFrom('authority_users')
    .select('id')
    .where('login', '=', login)
    .executeTakeFirst()
  const isFree = holder === undefined || holder.id === id
  const updated = await store.db
    .updateTable('authority_users')
    .set({ ...described, ...(isFree ? { login } : { is_admin: 0 }) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  return readUser(updated)
}
