/**
 * Postgres: the condition that hides rows whose transaction may still be overtaken by an older one. A list that has it and is
 * sorted by `column` first can be read again from any position without missing a row. `column` is an `xid8` with the
 * default `pg_current_xact_id()`; a time will not do, because it is stamped before the transaction has its number.
 */
export function settledRows(column: string): string {
  return `"${column.replaceAll('"', '""')}" < pg_snapshot_xmin(pg_current_snapshot())`
}
