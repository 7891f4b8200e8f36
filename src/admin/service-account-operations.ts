import { Type } from 'typebox'
import { Failure } from '../failure/failure.ts'
import { definePager } from '../paging/pager.ts'
import type { CredentialsFile, CredentialsPlace } from '../store/service-account-file.ts'
import { scopesOf } from '../store/service-account-lookup.ts'
import { accountView } from '../store/service-account-view.ts'
import {
  createServiceAccounts,
  type ServiceAccountPlace,
  type ServiceAccounts,
  serviceAccountSort,
} from '../store/service-accounts.ts'
import type { ServiceAccount } from '../store/tables-service-accounts.ts'
import type { AdminParts } from './admin-parts.ts'
import { refuseGiving } from './given-scopes.ts'
import { type AdminAnswer, defineOperation, type Operation } from './operation.ts'
import { rotation } from './rotation.ts'
import {
  accountSchema,
  accountWithKeysSchema,
  accountWithKeysView,
  newAccountSchema,
  newAccountView,
} from './service-account-view.ts'

const scopes = Type.Array(Type.String(), {
  minItems: 1,
  maxItems: 100,
  description: 'The most that its tokens may hold',
})

const order = Type.Object(
  { name: Type.String(), project: Type.Optional(Type.String({ default: 'postern' })), scopes },
  { title: 'ServiceAccountOrder', additionalProperties: false },
)

const changes = Type.Object(
  {
    scopes: Type.Optional(scopes),
    disabled: Type.Optional(Type.Boolean({ description: 'Whether its keys are refused' })),
  },
  { title: 'ServiceAccountChanges', additionalProperties: false, minProperties: 1 },
)

/** `/service-accounts`: identities of programs. */
export function serviceAccountOperations(parts: AdminParts): readonly Operation[] {
  const accounts = createServiceAccounts(parts.store, parts.now, parts.wall)
  return [
    ...readingOperations(parts, accounts),
    ...makingOperations(parts, accounts),
    ...changingOperations(accounts),
  ]
}

const reading = { scope: 'service-accounts:read', status: 200 } as const
const writing = { scope: 'service-accounts:write' } as const
const mostKeys = 50

function readingOperations({ wall, tokens }: AdminParts, accounts: ServiceAccounts): readonly Operation[] {
  const pager = definePager<ServiceAccountPlace>({
    id: 'service-accounts',
    style: 'cursor',
    sorts: { oldest: serviceAccountSort },
    tokens,
  })
  return [
    {
      ...reading,
      method: 'GET',
      path: '/service-accounts',
      id: 'listServiceAccounts',
      summary: 'The service accounts, oldest first',
      pageStyle: 'cursor',
      answer: accountSchema,
      run: async ({ query }) => {
        const page = await accounts.list({ pager, request: pager.parse(query) })
        return { page: { ...page, items: page.items.map(accountView) } }
      },
    },
    {
      ...reading,
      method: 'GET',
      path: '/service-accounts/{id}',
      id: 'getServiceAccount',
      summary: 'One service account with its newest keys, none of which can sign',
      answer: accountWithKeysSchema,
      run: async ({ id }) => {
        const account = orUnknown(await accounts.findById(id), id)
        return { body: accountWithKeysView(account, await accounts.newestKeysOf(id, mostKeys), wall()) }
      },
    },
  ]
}

function makingOperations(parts: AdminParts, accounts: ServiceAccounts): readonly Operation[] {
  const { publicUrl, authorizationServers } = parts
  const place: CredentialsPlace = {
    universeDomain: new URL(publicUrl).hostname,
    tokenUri: `${authorizationServers[0] ?? publicUrl}/token`,
  }
  const shownOnce = (account: ServiceAccount, file: CredentialsFile): AdminAnswer => ({
    body: newAccountView(account, file),
    location: `${publicUrl}/api/v1/service-accounts/${account.id}`,
    made: account.id,
  })
  return [
    defineOperation({
      ...writing,
      method: 'POST',
      path: '/service-accounts',
      id: 'createServiceAccount',
      summary: 'Create an identity for a program, and show its credentials file this once',
      body: order,
      answer: newAccountSchema,
      status: 201,
      run: async ({ principal, body: { project, ...body } }) => {
        refuseGiving(body.scopes, principal)
        const file = await accounts.create({
          ...body,
          ...place,
          ...(project === undefined ? {} : { project }),
        })
        const { client_email: email } = file
        return shownOnce(orUnknown(await accounts.findByEmail(email), email), file)
      },
    }),
    defineOperation({
      ...writing,
      method: 'POST',
      path: '/service-accounts/{id}:rotate',
      id: 'rotateServiceAccount',
      summary: 'Make a new key of a service account; those of before end after an overlap',
      body: rotation,
      answer: newAccountSchema,
      status: 201,
      run: async ({ id, principal, body }) => {
        const account = orUnknown(await accounts.findById(id), id)
        refuseGiving(scopesOf(account), principal)
        if (account.disabled_at !== null)
          throw new Failure('conflict', `the service account ${id} is disabled; enable it first`)
        const overlapSeconds = body.overlap_seconds ?? 3600
        return shownOnce(account, await accounts.rotate(account.email, { ...place, overlapSeconds }))
      },
    }),
  ]
}

function changingOperations(accounts: ServiceAccounts): readonly Operation[] {
  return [
    defineOperation({
      ...writing,
      method: 'PATCH',
      path: '/service-accounts/{id}',
      id: 'updateServiceAccount',
      summary: 'Change what a service account may do, or whether it may do anything',
      body: changes,
      answer: accountSchema,
      status: 200,
      run: async ({ id, principal, body }) => {
        const account = orUnknown(await accounts.findById(id), id)
        refuseGiving(body.scopes ?? (body.disabled === false ? scopesOf(account) : []), principal)
        const changed = await accounts.update(id, { scopes: body.scopes, isDisabled: body.disabled })
        return { body: accountView(orUnknown(changed, id)) }
      },
    }),
    {
      ...writing,
      method: 'DELETE',
      path: '/service-accounts/{id}',
      id: 'disableServiceAccount',
      summary: 'Refuse all keys of a service account from now on; the account stays in the list',
      status: 204,
      run: async ({ id }) => {
        orUnknown(await accounts.update(id, { isDisabled: true }), id)
        return { empty: true }
      },
    },
    {
      ...writing,
      method: 'DELETE',
      path: '/service-accounts/{id}/keys/{kid}',
      id: 'revokeServiceAccountKey',
      summary: 'Refuse one key of a service account from now on',
      status: 204,
      run: async ({ id, kid }) => {
        orUnknown(await accounts.findById(id), id)
        if (!(await accounts.hasKey(id, kid)))
          throw new Failure('not-found', `the service account ${id} has no key ${kid}`)
        await accounts.revokeKey(kid)
        return { empty: true }
      },
    },
  ]
}

function orUnknown<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Failure('not-found', `there is no service account ${id}`)
  return found
}
