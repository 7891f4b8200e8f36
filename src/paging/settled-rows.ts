/**
 * Postgres: the condition that hides rows whose transaction may still be overtaken. A walker that resumes by time would
 * otherwise pass a row that was stamped early and committed late. `column` is an `xid8` with the default
 * `pg_current_xact_id()`.
 */
export function settledRows(column: string): string {
  return `"${column.replaceAll('"', '""')}" < pg_snapshot_xmin(pg_current_snapshot())`
}
