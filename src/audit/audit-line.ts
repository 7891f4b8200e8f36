import { hash } from 'node:crypto'
import { isStorable } from '../store/storable-text.ts'
import type { AuditEvent } from '../store/tables-audit.ts'

/** One decision, as its line says; the line itself is kept byte for byte. */
export interface AuditRecord {
  /** A UUID of version 7. */
  readonly id: string
  /** Microseconds, when it was decided. */
  readonly time: number
  readonly surface: AuditEvent['surface']
  /** The method, such as `tools/call`. */
  readonly action: string
  /** The tool or model that was named; on the surface `api`, the id of what the request was about. */
  readonly target: string | null
  readonly decision: AuditEvent['decision']
  readonly reason: string
  /** The HTTP status; 0 for what the log says of itself. */
  readonly status: number
  readonly durationUs: number
  readonly needed: readonly string[]
  readonly requestId: string
  readonly revision: string
  readonly tokensIn?: number
  readonly tokensOut?: number
  /** How many events a note of the log speaks of. */
  readonly count?: number
  readonly by: AuditCaller | null
}

export interface AuditCaller {
  readonly principal: string
  /** What people know the principal by; only to be shown. */
  readonly name?: string | undefined
  readonly issuer: string
  readonly client: string | null
  readonly credential: { readonly kind: string; readonly id: string }
  /** Seconds since 1970; null when nobody said. */
  readonly expires: number | null
  readonly held: readonly string[]
}

/** Undefined for anything but a whole event. */
export function parseRecord(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

export interface LogNote {
  readonly id: string
  readonly time: number
  readonly reason: 'dropped' | 'unreadable'
  readonly count: number
}

/** A line in which the log speaks of itself: what it could not keep, and how much of it. */
export function noteLine({ id, time, reason, count }: LogNote): string {
  const note: AuditRecord = {
    id,
    time,
    surface: 'api',
    action: 'audit',
    target: null,
    decision: 'deny',
    reason,
    status: 0,
    durationUs: 0,
    needed: [],
    requestId: '',
    revision: '',
    count,
    by: null,
  }
  return JSON.stringify(note)
}

/** What events are found by; everything here is in the body too. */
export type EventColumns = Pick<AuditEvent, 'principal' | 'issuer' | 'action' | 'decision' | 'surface'>

/** An id has an event or two: whoever looks for what was done to keys asks for the operation. */
export function columnsOf({ by, action, target, decision, surface }: AuditRecord): EventColumns {
  return {
    principal: by === null ? '' : columnText(by.principal),
    issuer: by === null ? '' : columnText(by.issuer),
    action: columnText(surface === 'api' ? action : (target ?? action)),
    decision,
    surface,
  }
}

/**
 * A text as a column holds it. What a column of Postgres cannot hold, or an index of it not, is named by its hash, and so is
 * what looks like such a name: different texts stay different. It is for texts as they came, not for those of a column.
 */
export function columnText(text: string): string {
  if (Buffer.byteLength(text) <= mostBytes && isStorable(text) && text.isWellFormed() && !hashed.test(text))
    return text
  const beginning = text.slice(0, shownBeginning).replaceAll('\u0000', '').toWellFormed()
  return `${beginning}…sha256:${hash('sha256', JSON.stringify(text))}`
}

const hashed = /…sha256:[0-9a-f]{64}$/

/** Three such texts are in one index; Postgres takes 2704 bytes. */
const mostBytes = 400
const shownBeginning = 100

/** A count of tokens as it is added up: an engine that says anything at all must not make a sum that nobody can read. */
export function summable(tokens: number | undefined): number {
  return Math.min(tokens ?? 0, mostTokens)
}

const mostTokens = 1_000_000_000

const surfaces: ReadonlySet<unknown> = new Set<AuditEvent['surface']>(['tools', 'models', 'api'])

function isRecord(value: unknown): value is AuditRecord {
  return (
    isObject(value) &&
    isText(value.id) &&
    isCount(value.time) &&
    surfaces.has(value.surface) &&
    isText(value.action) &&
    isTextOrNull(value.target) &&
    (value.decision === 'allow' || value.decision === 'deny') &&
    isText(value.reason) &&
    isCount(value.status) &&
    isCount(value.durationUs) &&
    isList(value.needed) &&
    isText(value.requestId) &&
    isText(value.revision) &&
    isCountOrMissing(value.tokensIn) &&
    isCountOrMissing(value.tokensOut) &&
    isCountOrMissing(value.count) &&
    (value.by === null || isCaller(value.by))
  )
}

function isCaller(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.principal) &&
    (value.name === undefined || isText(value.name)) &&
    isText(value.issuer) &&
    isTextOrNull(value.client) &&
    isObject(value.credential) &&
    isText(value.credential.kind) &&
    isText(value.credential.id) &&
    (value.expires === null || isCount(value.expires)) &&
    isList(value.held)
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isCountOrMissing(value: unknown): boolean {
  return value === undefined || isCount(value)
}

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}
