import { type TObject, Type } from 'typebox'
import { count, orNull, surface, time } from './schema-parts.ts'

export const eventSchema: TObject = Type.Object(
  {
    id: Type.String(),
    seq: count('Its number in the log, without gaps'),
    created_at: time('When it was recorded'),
    time: time('When it was decided'),
    surface,
    action: Type.String({
      description: 'What was asked for: tools/call, generateContent, DELETE /api/v1/keys/{id}',
    }),
    target: orNull(
      Type.String({
        description:
          'The tool or model that was named; on the surface api the id that stands for {id}, the two for {id}/{kid}, or that of what was made',
      }),
    ),
    decision: Type.Enum(['allow', 'deny']),
    reason: Type.String({ description: 'ok, or a stable word for what was wrong' }),
    status: count('The HTTP status; 0 for what the log says of itself'),
    duration_us: count('Microseconds'),
    principal: orNull(Type.String({ description: 'Null when nobody was identified' })),
    principal_name: orNull(
      Type.String({
        description: 'What people know the principal by, where the credential says so; only to be shown',
      }),
    ),
    issuer: orNull(Type.String()),
    client: orNull(Type.String()),
    credential: orNull(
      Type.Object({ kind: Type.String(), id: Type.String() }, { additionalProperties: false }),
    ),
    scopes_needed: Type.Array(Type.String()),
    scopes_held: Type.Array(Type.String()),
    tokens_in: orNull(count('What a model read')),
    tokens_out: orNull(count('What a model wrote')),
    count: orNull(count('How many events a note of the log speaks of')),
    request_id: Type.String(),
    revision: Type.String({ description: 'The revision of the protocol that was spoken' }),
    hash: Type.String({ description: 'SHA-256 over this event and the hash of the one before it' }),
  },
  { title: 'Event', additionalProperties: false },
)
