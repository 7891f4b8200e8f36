import type { AuditEvent } from '../store/tables-audit.ts'
import { timestamp } from '../store/timestamp.ts'
import { type AuditRecord, parseRecord } from './audit-line.ts'

/** An event as people and programs are shown it, on the wire and on the command line. Times in RFC 3339. */
export interface EventView {
  readonly id: string
  readonly seq: number
  readonly created_at: string
  readonly time: string
  readonly surface: AuditEvent['surface']
  readonly action: string
  readonly target: string | null
  readonly decision: AuditEvent['decision']
  readonly reason: string
  readonly status: number
  readonly duration_us: number
  readonly principal: string | null
  readonly principal_name: string | null
  readonly issuer: string | null
  readonly client: string | null
  readonly credential: { readonly kind: string; readonly id: string } | null
  readonly scopes_needed: readonly string[]
  readonly scopes_held: readonly string[]
  readonly tokens_in: number | null
  readonly tokens_out: number | null
  readonly count: number | null
  readonly request_id: string
  readonly revision: string
  readonly hash: string
}

export function eventView(row: AuditEvent): EventView {
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
    principal_name: by?.name ?? null,
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
