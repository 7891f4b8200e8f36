import type { Session } from '../store/tables-audit.ts'
import { type AuditCaller, type AuditRecord, columnText, summable } from './audit-line.ts'

/** What a credential did on a surface without a long pause: a session, or what is to be added to one. */
export type Spell = Omit<Session, 'id' | 'revoked_at'>

/** A session ends when its credential was not used for so long. */
export const idleAfter: number = 30 * 60 * 1_000_000

/** The calls of those who were identified, each credential and surface apart, in the order of time. */
export function spellsOf(records: readonly AuditRecord[]): readonly Spell[] {
  const spells: Spell[] = []
  const last = new Map<string, Sum>()
  for (const record of records.toSorted((one, other) => one.time - other.time)) {
    const { by, surface, time } = record
    if (by === null) continue
    const key = `${surface}:${by.credential.kind}:${by.credential.id}`
    let sum = last.get(key)
    if (sum === undefined || time - sum.last_seen_at > idleAfter) {
      sum = beginning(record, by)
      spells.push(sum)
      last.set(key, sum)
    }
    addCall(sum, record)
  }
  return spells
}

/** Spells with one key are of one credential on one surface. */
export function spellKey({ credential_kind, credential_id, surface }: Spell): string {
  return `${surface}:${credential_kind}:${credential_id}`
}

/** The second is the later one. */
export function joined(one: Spell, other: Spell): Spell {
  return {
    ...one,
    last_seen_at: other.last_seen_at,
    credential_expires_at: other.credential_expires_at,
    principal_name: other.principal_name ?? one.principal_name,
    revision: other.revision,
    calls: one.calls + other.calls,
    denials: one.denials + other.denials,
    tokens_in: one.tokens_in + other.tokens_in,
    tokens_out: one.tokens_out + other.tokens_out,
  }
}

type Sum = { -readonly [Column in keyof Spell]: Spell[Column] }

function beginning({ time, surface }: AuditRecord, { credential, ...by }: AuditCaller): Sum {
  return {
    created_at: time,
    last_seen_at: time,
    surface,
    principal: columnText(by.principal),
    principal_name: null,
    issuer: columnText(by.issuer),
    client: by.client === null ? null : columnText(by.client),
    credential_kind: columnText(credential.kind),
    credential_id: columnText(credential.id),
    credential_expires_at: inMicroseconds(by.expires),
    revision: '',
    calls: 0,
    denials: 0,
    tokens_in: 0,
    tokens_out: 0,
  }
}

function addCall(sum: Sum, { by, time, revision, decision, tokensIn, tokensOut }: AuditRecord): void {
  const name = by?.name ?? sum.principal_name
  if (name !== null && name !== sum.principal_name) sum.principal_name = columnText(name)
  if (by !== null) sum.credential_expires_at = inMicroseconds(by.expires)
  sum.last_seen_at = time
  sum.revision = columnText(revision)
  sum.calls += 1
  sum.denials += decision === 'deny' ? 1 : 0
  sum.tokens_in += summable(tokensIn)
  sum.tokens_out += summable(tokensOut)
}

/** An end that no number of microseconds can say is none. */
function inMicroseconds(seconds: number | null): number | null {
  const end = seconds === null ? Number.NaN : seconds * 1_000_000
  return Number.isSafeInteger(end) ? end : null
}
