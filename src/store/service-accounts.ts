import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { Failure } from '../failure/failure.ts'
import type { Page } from '../paging/page.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Pager } from '../paging/pager.ts'
import type { Sort } from '../paging/sort.ts'
import type { Clock } from './clock.ts'
import { readPage } from './read-page.ts'
import { rowId } from './row-id.ts'
import { type CredentialsFile, type CredentialsPlace, makeKey, universeHost } from './service-account-file.ts'
import { addKey, hasKey, type KeyRotation, keysOf, newestKeysOf, revokeKey } from './service-account-keys.ts'
import {
  createServiceAccountLookup,
  findByEmail,
  type ServiceAccountLookup,
  scopesOf,
} from './service-account-lookup.ts'
import { endOpaqueTokens } from './service-account-tokens.ts'
import type { Store, StoreSchema } from './store.ts'
import type { ServiceAccount, ServiceAccountKey } from './tables-service-accounts.ts'

interface NewServiceAccount extends CredentialsPlace {
  readonly name: string
  readonly project?: string
  readonly scopes: readonly string[]
}

export type ServiceAccountPlace = Pick<ServiceAccount, 'created_at' | 'id'>

interface ServiceAccountList {
  readonly pager: Pager<ServiceAccountPlace>
  readonly request: PageRequest
}

/** What is left out stays. */
interface ServiceAccountChanges {
  readonly scopes?: readonly string[] | undefined
  readonly isDisabled?: boolean | undefined
}

export interface ServiceAccounts extends ServiceAccountLookup {
  /** The file is shown this once: its private key is kept nowhere. */
  readonly create: (account: NewServiceAccount) => Promise<CredentialsFile>
  readonly addKey: (email: string, place: CredentialsPlace) => Promise<CredentialsFile>
  /** A new key; those of before end with the overlap. Without one they are revoked, and the account's opaque tokens end too. */
  readonly rotate: (email: string, rotation: KeyRotation) => Promise<CredentialsFile>
  /** Ends the account's opaque tokens too, whichever key they came of. Says whether there was such a key, not revoked before. */
  readonly revokeKey: (kid: string) => Promise<boolean>
  /** Ends its opaque tokens too. Says whether there was such an account, not disabled before. */
  readonly disable: (email: string) => Promise<boolean>
  /** Disabled ones too. */
  readonly findById: (id: string) => Promise<ServiceAccount | undefined>
  /** The account as it is then; undefined when there is none. Who is disabled, or loses a scope, loses opaque tokens too. */
  readonly update: (id: string, changes: ServiceAccountChanges) => Promise<ServiceAccount | undefined>
  /** The newest keys of an account, newest first, and no more than so many. */
  readonly newestKeysOf: (accountId: string, most: number) => Promise<readonly ServiceAccountKey[]>
  /** Revoked and expired ones too. */
  readonly hasKey: (accountId: string, kid: string) => Promise<boolean>
  /** All keys of an account, oldest first, for those who administer them. */
  readonly keysOf: (accountId: string) => Promise<readonly ServiceAccountKey[]>
  readonly list: (list: ServiceAccountList) => Promise<Page<ServiceAccount>>
}

export const serviceAccountSort: Sort<keyof ServiceAccountPlace> = [
  { column: 'created_at', type: 'integer', direction: 'ascending' },
  { column: 'id', type: 'text', direction: 'ascending', unique: true },
]

/** `now` makes ids and an order; whether a key has ended is asked of `wall`, as whoever checks tokens does. */
export function createServiceAccounts(store: Store, now: Clock, wall: Clock = now): ServiceAccounts {
  const { db } = store
  return {
    ...createServiceAccountLookup(store, wall),
    create: (account) => createAccount(db, account, now()),
    addKey: async (email, place) =>
      addKey(store, { account: await known(db, email), place, now: now(), at: wall() }),
    rotate: async (email, place) =>
      addKey(store, {
        account: await known(db, email),
        place,
        now: now(),
        at: wall(),
        overlapSeconds: place.overlapSeconds,
      }),
    revokeKey: (kid) => db.transaction().execute((transaction) => revokeKey(transaction, kid, now())),
    disable: (email) => db.transaction().execute((transaction) => disable(transaction, email, now())),
    findById: (id) => findById(db, id),
    update: (id, changes) => update(db, { id, changes, time: now() }),
    newestKeysOf: (accountId, most) => newestKeysOf(db, accountId, most),
    hasKey: (accountId, kid) => hasKey(db, accountId, kid),
    keysOf: (accountId) => keysOf(db, accountId),
    list: (list) => readPage(store, { ...list, query: db.selectFrom('service_accounts').selectAll() }),
  }
}

const usualProject = 'postern'
const namePattern = /^[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** A scope-token of RFC 6749, section 3.3. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/

async function createAccount(
  db: Kysely<StoreSchema>,
  account: NewServiceAccount,
  now: number,
): Promise<CredentialsFile> {
  const { name, project = usualProject, scopes } = account
  checkName(name, 'name')
  checkName(project, 'project')
  checkScopes(scopes)
  const email = `${name}@${project}.iam.${universeHost(account.universeDomain)}`
  const owner = { id: rowId(now, randomBytes(8)), email, project }
  const { row, file } = await makeKey(owner, account, now)
  await db.transaction().execute(async (transaction) => {
    const added = await transaction
      .insertInto('service_accounts')
      .values({
        ...owner,
        name,
        scopes: [...new Set(scopes)].join(' '),
        created_at: now,
        updated_at: now,
        disabled_at: null,
      })
      .onConflict((conflict) => conflict.column('email').doNothing())
      .executeTakeFirst()
    if (added.numInsertedOrUpdatedRows !== 1n) {
      throw new Failure('conflict', `there is a service account ${email} already; choose another name`)
    }
    await transaction.insertInto('service_account_keys').values(row).execute()
  })
  return file
}

/** Within a transaction. */
async function disable(db: Kysely<StoreSchema>, email: string, time: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('service_accounts')
    .set({ disabled_at: time, updated_at: time })
    .where('email', '=', email)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  await endOpaqueTokens(db, email)
  return numUpdatedRows > 0n
}

interface Update {
  readonly id: string
  readonly changes: ServiceAccountChanges
  readonly time: number
}

async function update(
  db: Kysely<StoreSchema>,
  { id, changes, time }: Update,
): Promise<ServiceAccount | undefined> {
  const { scopes, isDisabled } = changes
  if (scopes !== undefined) checkScopes(scopes)
  return db.transaction().execute(async (transaction) => {
    const row = transaction.updateTable('service_accounts').where('id', '=', id).returningAll()
    // Its lock holds up whoever would change the scopes between the two.
    const before = await row.set({ updated_at: time }).executeTakeFirst()
    if (before === undefined) return undefined
    const kept = scopes === undefined ? before.scopes : [...new Set(scopes)].join(' ')
    const disabled_at = isDisabled === false ? null : before.disabled_at
    const account = await row.set({ scopes: kept, disabled_at }).executeTakeFirstOrThrow()
    if (losesScopes(before, account)) await endOpaqueTokens(transaction, account.email)
    if (isDisabled !== true) return account
    await disable(transaction, account.email, time)
    return findById(transaction, id)
  })
}

function losesScopes(before: ServiceAccount, after: ServiceAccount): boolean {
  const kept = new Set(scopesOf(after))
  return scopesOf(before).some((scope) => !kept.has(scope))
}

function findById(db: Kysely<StoreSchema>, id: string): Promise<ServiceAccount | undefined> {
  return db.selectFrom('service_accounts').selectAll().where('id', '=', id).executeTakeFirst()
}

function checkName(text: string, field: string): void {
  if (namePattern.test(text)) return
  throw new Failure(
    'invalid-request',
    `the ${field} of a service account must be 1 to 63 lower-case letters, digits and -, beginning with a letter`,
    { field },
  )
}

function checkScopes(scopes: readonly string[]): void {
  if (scopes.every((scope) => scopePattern.test(scope))) return
  throw new Failure('invalid-request', 'a scope must be one word of printable ASCII without " and \\', {
    field: 'scopes',
  })
}

async function known(db: Kysely<StoreSchema>, email: string): Promise<ServiceAccount> {
  const account = await findByEmail(db, email)
  if (account === undefined) throw new Failure('not-found', `there is no service account ${email}`)
  return account
}
