import { listOf, number, objectOf, oneOf, optional, orNull, type Reader, text } from '../wire-reader.ts'

/** One decision of the gateway. Times are texts of RFC 3339. */
export interface AuditEvent {
  readonly id: string
  /** Its number in the log, without gaps. */
  readonly seq: number
  readonly created_at: string
  readonly time: string
  /** `tools`, `models` or `api`. */
  readonly surface: string
  readonly action: string
  /** The tool or model; of `api` the id of what was read, changed or made. */
  readonly target: string | null
  readonly decision: 'allow' | 'deny'
  /** `ok`, or a stable word for what was wrong. */
  readonly reason: string
  readonly status: number
  readonly duration_us: number
  readonly principal: string | null
  /** What people know the principal by; only to be shown. Older gateways leave it out. */
  readonly principal_name?: string | null | undefined
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

export const auditEvent: Reader<AuditEvent> = objectOf<AuditEvent>({
  id: text,
  seq: number,
  created_at: text,
  time: text,
  surface: text,
  action: text,
  target: orNull(text),
  decision: oneOf(['allow', 'deny']),
  reason: text,
  status: number,
  duration_us: number,
  principal: orNull(text),
  principal_name: optional(text),
  issuer: orNull(text),
  client: orNull(text),
  credential: orNull(objectOf<NonNullable<AuditEvent['credential']>>({ kind: text, id: text })),
  scopes_needed: listOf(text),
  scopes_held: listOf(text),
  tokens_in: orNull(number),
  tokens_out: orNull(number),
  count: orNull(number),
  request_id: text,
  revision: text,
  hash: text,
})

/** What a list or a stream of events is narrowed to; times are texts of RFC 3339. */
export interface EventFilters {
  readonly principal?: string | undefined
  /** Only beside a principal. */
  readonly issuer?: string | undefined
  /** A tool, a model, or what was asked for where neither was named; of `api` an operation, `DELETE /api/v1/keys/{id}`. */
  readonly action?: string | undefined
  readonly decision?: 'allow' | 'deny' | undefined
  readonly surface?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export function eventQuery(given: EventFilters): Readonly<Record<string, string | undefined>> {
  const { principal, issuer, action, decision, surface, from, to } = given
  return { principal, issuer, action, decision, surface, from, to }
}
