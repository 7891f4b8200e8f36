import type { AuditEvent } from '../store/tables-audit.ts'
import { columnText, type EventColumns } from './audit-line.ts'

export interface EventFilters {
  readonly principal?: string | undefined
  /** Who vouches for the principal: only together do they say who it is. */
  readonly issuer?: string | undefined
  /** A tool, a model, or what was asked for where neither was named, as on the surface `api`. */
  readonly action?: string | undefined
  readonly decision?: AuditEvent['decision'] | undefined
  readonly surface?: AuditEvent['surface'] | undefined
  /** Recorded then or later, in microseconds. */
  readonly from?: number | undefined
  /** Recorded then or earlier. */
  readonly to?: number | undefined
}

export type ColumnTest = readonly [column: keyof EventColumns, value: string]

export interface SplitFilters {
  /** The index in whose order the events are read; undefined for that of all events. */
  readonly index: string | undefined
  /** What the index begins with. */
  readonly leading: readonly ColumnTest[]
  /** What each event on the way is asked for. */
  readonly others: readonly ColumnTest[]
}

/** The same with every text as a column holds it. */
export function heldFilters(filters: EventFilters): EventFilters {
  const { principal, issuer, action } = filters
  return {
    ...filters,
    principal: principal === undefined ? undefined : columnText(principal),
    issuer: issuer === undefined ? undefined : columnText(issuer),
    action: action === undefined ? undefined : columnText(action),
  }
}

/** An index serves one filter, so the one is chosen that leaves least, as far as one can know. */
export function splitFilters(filters: EventFilters): SplitFilters {
  const tests = columns.flatMap((column): readonly ColumnTest[] => {
    const value = filters[column]
    return value === undefined ? [] : [[column, value]]
  })
  const chosen = indexes.find((index) => index.columns.every((column) => filters[column] !== undefined))
  if (chosen === undefined) return { index: undefined, leading: [], others: tests }
  const isLeading = ([column]: ColumnTest): boolean => chosen.columns.some((name) => name === column)
  return {
    index: chosen.name,
    leading: tests.filter(isLeading),
    others: tests.filter((test) => !isLeading(test)),
  }
}

/** In the order of the columns of the indexes. */
const columns = ['principal', 'issuer', 'action', 'decision', 'surface'] as const

const indexes = [
  { name: 'audit_events_owner', columns: ['principal', 'issuer'] },
  { name: 'audit_events_action', columns: ['action'] },
  { name: 'audit_events_decision', columns: ['decision'] },
  { name: 'audit_events_surface', columns: ['surface'] },
] as const
