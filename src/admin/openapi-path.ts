import type { TSchema } from 'typebox'
import { needsBody, type Operation, scopesOf } from './operation.ts'

/** All methods of one path. */
export function pathItem(operations: readonly Operation[]): object {
  return Object.fromEntries(
    operations.map((operation) => [operation.method.toLowerCase(), operationObject(operation)]),
  )
}

function operationObject(operation: Operation): object {
  const parameters = parametersOf(operation)
  const { body } = operation
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.path.split(/[/:]/)[1]],
    security: scopesOf(operation).map((scope) => ({ oauth2: [scope] })),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: needsBody(operation),
            content: { 'application/json': { schema: reference(body) } },
          },
        }),
    responses: { [operation.status]: answerOf(operation), ...problemsOf(operation) },
  }
}

function parametersOf(operation: Operation): readonly object[] {
  const { path, query, pageStyle, isStream } = operation
  const own = Object.entries<TSchema>(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    schema,
  }))
  const shared = [
    ...(path.includes('{id}') ? ['id'] : []),
    ...(path.includes('{kid}') ? ['kid'] : []),
    ...(pageStyle === 'offset' ? ['offset', 'sessionLimit'] : []),
    ...(pageStyle === 'cursor' ? ['cursor', 'limit'] : []),
    ...(isStream === true ? ['lastEventId'] : []),
  ]
  return [...own, ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` }))]
}

function answerOf(operation: Operation): object {
  const { answer, pageStyle, isStream, status, summary } = operation
  if (answer === undefined) return { description: 'Done' }
  const item = reference(answer)
  if (isStream === true)
    return {
      description: 'Events of the name `event`; `data` is one record, `id` is the cursor behind it',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }
  const headers = pageStyle === undefined ? (status === 201 ? ['Location'] : []) : pageHeaders[pageStyle]
  return {
    description: summary,
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map(headerReference)) }),
    content: {
      'application/json': { schema: pageStyle === undefined ? item : envelopes[pageStyle](item) },
    },
  }
}

const pageHeaders = { offset: ['Link', 'X-Total-Count'], cursor: ['Link'] } as const

const envelopes = {
  offset: (item: object) =>
    envelope({
      items: { type: 'array', maxItems: 100, items: item },
      total: { type: 'integer', minimum: 0 },
      offset: { type: 'integer', minimum: 0 },
      limit: { type: 'integer', minimum: 1, maximum: 100 },
    }),
  cursor: (item: object) =>
    envelope({
      items: { type: 'array', maxItems: 100, items: item },
      next_cursor: { type: ['string', 'null'], description: 'Opaque; null when there is no next page' },
      has_more: { type: 'boolean' },
    }),
} as const

function envelope(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function problemsOf({ path, method, body }: Operation): object {
  return {
    400: response('BadRequest'),
    401: response('Unauthorized'),
    403: response('Forbidden'),
    ...(path.includes('{id}') ? { 404: response('NotFound') } : {}),
    ...(method === 'GET' || body === undefined ? {} : { 409: response('Conflict') }),
    429: response('TooManyRequests'),
    503: response('ServiceUnavailable'),
  }
}

function response(name: string): object {
  return { $ref: `#/components/responses/${name}` }
}

function reference(schema: TSchema): object {
  return { $ref: `#/components/schemas/${String(Reflect.get(schema, 'title'))}` }
}

function headerReference(name: string): [string, object] {
  return [name, { $ref: `#/components/headers/${name.replaceAll('-', '')}` }]
}
