import { Type } from 'typebox'
import { Failure } from '../failure/failure.ts'
import { definePager } from '../paging/pager.ts'
import type { NewApiKey } from '../store/api-key-secret.ts'
import { apiKeyView } from '../store/api-key-view.ts'
import { type ApiKeyPlace, apiKeySort, createApiKeys } from '../store/api-keys.ts'
import type { AdminParts } from './admin-parts.ts'
import { keySchema, newKeySchema } from './key-schema.ts'
import { type AdminAnswer, defineOperation, type Operation } from './operation.ts'
import { rotation } from './rotation.ts'
import { givenTime, orNull, time } from './schema-parts.ts'

const limits = {
  scopes: Type.Optional(
    orNull(Type.Array(Type.String(), { description: 'What it may do; null for all that a key can' })),
  ),
  models: Type.Optional(
    orNull(Type.Array(Type.String(), { description: 'Names of models, * for any text; null for all' })),
  ),
  addresses: Type.Optional(
    orNull(Type.Array(Type.String(), { description: 'IP addresses or ranges; null for all' })),
  ),
  expires_at: Type.Optional(orNull(time('When it ends; null for never'))),
}

const order = Type.Object(
  {
    name: Type.String({ description: 'What it is for' }),
    principal: Type.Optional(
      Type.String({
        description:
          'Whom it acts for, such as those who share files; its name unless given: 409 where a key that works is for it',
      }),
    ),
    ...limits,
  },
  { title: 'KeyOrder', additionalProperties: false },
)

const changes = Type.Object(
  { name: Type.Optional(Type.String()), ...limits },
  { title: 'KeyChanges', additionalProperties: false, minProperties: 1 },
)

/** `/keys`: the API keys of the model API. */
export function keyOperations(parts: AdminParts): readonly Operation[] {
  const keys = createApiKeys(parts.store, parts.now, parts.wall)
  return [...readingOperations(parts, keys), ...writingOperations(parts, keys)]
}

type Keys = ReturnType<typeof createApiKeys>

function readingOperations({ wall, tokens }: AdminParts, keys: Keys): readonly Operation[] {
  const pager = definePager<ApiKeyPlace>({
    id: 'keys',
    style: 'cursor',
    sorts: { oldest: apiKeySort },
    tokens,
  })
  return [
    {
      method: 'GET',
      path: '/keys',
      id: 'listKeys',
      summary: 'The API keys, oldest first',
      scope: 'keys:read',
      pageStyle: 'cursor',
      answer: keySchema,
      status: 200,
      run: async ({ query }) => {
        const page = await keys.list({ pager, request: pager.parse(query) })
        const time = wall()
        return { page: { ...page, items: page.items.map((row) => apiKeyView(row, time)) } }
      },
    },
    {
      method: 'GET',
      path: '/keys/{id}',
      id: 'getKey',
      summary: 'One API key; the key itself is never shown again',
      scope: 'keys:read',
      answer: keySchema,
      status: 200,
      run: async ({ id }) => ({ body: apiKeyView(orUnknown(await keys.findById(id), id), wall()) }),
    },
  ]
}

function writingOperations(parts: AdminParts, keys: Keys): readonly Operation[] {
  const { wall } = parts
  const shownOnce = ({ row, key }: NewApiKey): AdminAnswer => ({
    body: { ...apiKeyView(row, wall()), key },
    location: `${parts.publicUrl}/api/v1/keys/${row.id}`,
    made: row.id,
  })
  return [
    defineOperation({
      method: 'POST',
      path: '/keys',
      id: 'createKey',
      summary: 'Make an API key, and show it this once',
      scope: 'keys:write',
      body: order,
      answer: newKeySchema,
      status: 201,
      run: async ({ body }) => {
        const { name, principal, scopes, models, addresses, expires_at } = body
        const made = await keys.create({
          name,
          principal,
          scopes: scopes ?? undefined,
          models: models ?? undefined,
          addresses: addresses ?? undefined,
          expiresAt: futureTime(expires_at, wall()) ?? undefined,
        })
        return shownOnce(made)
      },
    }),
    defineOperation({
      method: 'PATCH',
      path: '/keys/{id}',
      id: 'updateKey',
      summary: 'Change what an API key is called, what it may do and when it ends',
      scope: 'keys:write',
      body: changes,
      answer: keySchema,
      status: 200,
      run: async ({ id, body: { expires_at, ...rest } }) => {
        const expiresAt = futureTime(expires_at, wall())
        return { body: apiKeyView(orUnknown(await keys.update(id, { ...rest, expiresAt }), id), wall()) }
      },
    }),
    {
      method: 'DELETE',
      path: '/keys/{id}',
      id: 'revokeKey',
      summary: 'Refuse an API key from now on; running gateways notice within a second',
      scope: 'keys:write',
      status: 204,
      run: async ({ id }) => {
        if (!(await keys.revoke(id))) orUnknown(await keys.findById(id), id)
        return { empty: true }
      },
    },
    defineOperation({
      method: 'POST',
      path: '/keys/{id}:rotate',
      id: 'rotateKey',
      summary: 'Make a key with the rights of another, which ends after an overlap',
      scope: 'keys:write',
      body: rotation,
      answer: newKeySchema,
      status: 201,
      run: async ({ id, body }) => shownOnce(await keys.rotate(id, body.overlap_seconds ?? 3600)),
    }),
  ]
}

function futureTime(text: string | null | undefined, now: number): number | null | undefined {
  if (text === undefined || text === null) return text
  const time = givenTime('expires_at', text)
  if (time > now) return time
  throw new Failure('invalid-request', 'expires_at must be in the future', {
    field: 'expires_at',
    recovery: 'fix_request',
  })
}

function orUnknown<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw new Failure('not-found', `there is no API key ${id}`)
  return found
}
