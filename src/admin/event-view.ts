import { type TObject, Type } from 'typebox'
import { type AuditRecord, parseRecord } from '../audit/audit-line.ts'
import type { AuditEvent } from '../store/tables-audit.ts'
import { count, orNull, surface, time } from './schema-parts.ts'
import { timestamp } from './timestamp.ts'

export const eventSchema: TObject = Type.Object(
  {
    id: Type.String(),
    seq: count('Its number in the log, without gaps'),
    created_at: time('When it was recorded'),
    time: time('When it was decided'),
    surface,
    action: Type.String({ description: 'What was asked for, such as tools/call or generateContent' }),
    target: orNull(Type.String({ description: 'The tool or model that was named' })),
    decision: Type.Enum(['allow', 'deny']),
    reason: Type.String({ description: 'ok, or a stable word for what was wrong' }),
    status: count('The HTTP status; 0 for what the log says of itself'),
    duration_us: count('Microseconds'),
    principal: orNull(Type.String({ description: 'Null when nobody was identified' })),
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

export function eventView(row: AuditEvent): object {
  const record = parseRecord(row.body) ?? unreadable(row)
  const { by } = record
  return {
    id: record.id,
    seq: row.seq,
    created_at: timestamp(row.created_at),
    time: timestamp(record.time),
    surface: row.surface,
    action: record.action,
    target: record.target,
    decision: row.decision,
    reason: record.reason,
    status: record.status,
    duration_us: record.durationUs,
    principal: by?.principal ?? null,
    issuer: by?.issuer ?? null,
    client: by?.client ?? null,
    credential: by === null ? null : { kind: by.credential.kind, id: by.credential.id },
    scopes_needed: record.needed,
    scopes_held: by?.held ?? [],
    tokens_in: record.tokensIn ?? null,
    tokens_out: record.tokensOut ?? null,
    count: record.count ?? null,
    request_id: record.requestId,
    revision: record.revision,
    hash: row.hash,
  }
}

/** What somebody did to a row must not hide those around it; `postern events verify` finds it. */
function unreadable({ created_at, surface, action, decision }: AuditEvent): AuditRecord {
  return {
    id: '',
    time: created_at,
    surface,
    action,
    target: null,
    decision,
    reason: 'unreadable',
    status: 0,
    durationUs: 0,
    needed: [],
    requestId: '',
    revision: '',
    by: null,
  }
}
