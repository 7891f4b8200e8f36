import type { Session } from '../store/tables-audit.ts'
import { timestamp, timestampOrNull } from '../store/timestamp.ts'
import { idleAfter } from './ledger-spells.ts'

/** A session as people and programs are shown it, on the wire and on the command line. Times in RFC 3339. */
export interface SessionView
  extends Pick<
    Session,
    | 'id'
    | 'surface'
    | 'principal'
    | 'issuer'
    | 'client'
    | 'revision'
    | 'calls'
    | 'denials'
    | 'tokens_in'
    | 'tokens_out'
  > {
  readonly created_at: string
  readonly last_seen_at: string
  readonly state: 'active' | 'idle' | 'revoked'
  readonly credential: { readonly kind: string; readonly id: string; readonly expires_at: string | null }
  readonly revoked_at: string | null
}

/** `now` in microseconds since 1970. */
export function sessionView(row: Session, now: number): SessionView {
  const isIdle = row.last_seen_at + idleAfter <= now
  return {
    id: row.id,
    created_at: timestamp(row.created_at),
    last_seen_at: timestamp(row.last_seen_at),
    state: row.revoked_at !== null ? 'revoked' : isIdle ? 'idle' : 'active',
    surface: row.surface,
    principal: row.principal,
    issuer: row.issuer,
    client: row.client,
    credential: {
      kind: row.credential_kind,
      id: row.credential_id,
      expires_at: timestampOrNull(row.credential_expires_at),
    },
    revision: row.revision,
    calls: row.calls,
    denials: row.denials,
    tokens_in: row.tokens_in,
    tokens_out: row.tokens_out,
    revoked_at: timestampOrNull(row.revoked_at),
  }
}
