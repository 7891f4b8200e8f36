import { Type } from 'typebox'

const problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong, and what would be right' }),
    code: Type.Optional(Type.String({ description: 'A stable word, such as cursor_expired' })),
    field: Type.Optional(Type.String({ description: 'The parameter or member at fault' })),
    recovery: Type.Optional(Type.Enum(['restart', 'fix_request'])),
    request_id: Type.String(),
  },
  { title: 'Problem', additionalProperties: false },
)

/** What several operations share, under `components`. */
export const openApiParts: {
  readonly schemas: { readonly Problem: object }
  readonly parameters: Readonly<
    Record<'limit' | 'sessionLimit' | 'offset' | 'cursor' | 'id' | 'kid' | 'lastEventId', object>
  >
  readonly headers: Readonly<Record<string, object>>
  readonly responses: Readonly<Record<string, object>>
} = {
  schemas: { Problem: problem },
  parameters: {
    limit: parameter('limit', 'How many records', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
    sessionLimit: parameter('limit', 'How many records', {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 50,
    }),
    offset: parameter('offset', 'How many records are passed over', {
      type: 'integer',
      minimum: 0,
      maximum: 10_000,
      default: 0,
    }),
    cursor: parameter('cursor', '`next_cursor` of the page before; the first page without it', {
      type: 'string',
    }),
    id: { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
    kid: { name: 'kid', in: 'path', required: true, schema: { type: 'string' } },
    lastEventId: {
      name: 'Last-Event-ID',
      in: 'header',
      description: 'The id of the last event that was seen; it goes before `cursor`',
      schema: { type: 'string' },
    },
  },
  headers: {
    Link: {
      description: 'RFC 8288: first, prev, next, and last where the total is known',
      required: true,
      schema: { type: 'string' },
    },
    XTotalCount: {
      description: 'All records of the list, as `total`',
      required: true,
      schema: { type: 'integer', minimum: 0 },
    },
    Location: { description: 'Where it is found', required: true, schema: { type: 'string', format: 'uri' } },
  },
  responses: {
    BadRequest: problemAnswer('Something in the request is wrong: `detail` says what'),
    Unauthorized: problemAnswer('No token, or not a good one', challenge),
    Forbidden: problemAnswer('The token lacks the scope', challenge),
    NotFound: problemAnswer('There is none, or it belongs to somebody else'),
    Conflict: problemAnswer('Its state does not allow it'),
    TooManyRequests: problemAnswer('Over a limit', again),
    ServiceUnavailable: problemAnswer('Try again', again),
  },
}

function parameter(name: string, description: string, schema: object): object {
  return { name, in: 'query', description, schema }
}

function problemAnswer(description: string, headers?: () => object): object {
  return {
    description,
    ...(headers === undefined ? {} : { headers: headers() }),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

function challenge(): object {
  return { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } }
}

function again(): object {
  return { 'Retry-After': { required: true, schema: { type: 'integer' } } }
}
