import { Failure } from '../failure/failure.ts'
import type { CountPlan } from './count-plan.ts'
import type { Total } from './page.ts'
import { columnName, type Dialect, type Statement, sqlWriter } from './sql-writer.ts'

/** SQLite's planner tells no number of rows, so an estimate there is a count that stops at this many. */
const estimateCeiling = 10_000

/** The statement that counts `source`; `readCount` reads its answer. */
export function compileCount(count: CountPlan, source: Statement, dialect: Dialect): Statement {
  const { sql, params } = withinBound(count, source, dialect)
  if (count.kind === 'exact') return { sql: `SELECT count(*) AS "total" FROM (${sql}) AS "list"`, params }
  if (count.kind === 'estimate' && dialect === 'postgres')
    return { sql: `EXPLAIN (FORMAT JSON) ${sql}`, params }
  const some = `SELECT 1 AS "one" FROM (${sql}) AS "list" LIMIT ${ceiling(count) + 1}`
  return { sql: `SELECT count(*) AS "total" FROM (${some}) AS "some"`, params }
}

/** A list with a bound shows nothing newer, so nothing newer is counted. */
function withinBound({ bound }: CountPlan, source: Statement, dialect: Dialect): Statement {
  if (bound === undefined || bound === null) return source
  const writer = sqlWriter(source, dialect)
  const from = `SELECT * FROM (${writer.source()}) AS "all"`
  const sql = `${from} WHERE ${columnName(bound.key)} <= ${writer.value(bound.key, bound.value)}`
  return { sql, params: writer.params() }
}

/** `row` is the first row of the answer, as the driver gave it. */
export function readCount(count: CountPlan, row: object | undefined, dialect: Dialect): Total {
  if (count.kind === 'estimate' && dialect === 'postgres')
    return { value: plannedRows(row), kind: 'estimate' }
  const value = wholeNumber(row === undefined ? undefined : Reflect.get(row, 'total'))
  if (count.kind === 'exact' || value <= ceiling(count)) return { value, kind: 'exact' }
  return { value: ceiling(count), kind: 'at_least' }
}

function ceiling(count: CountPlan): number {
  return count.kind === 'bounded' ? count.atMost : estimateCeiling
}

function plannedRows(row: object | undefined): number {
  const answer: unknown = row === undefined ? undefined : Reflect.get(row, 'QUERY PLAN')
  const plans: unknown = typeof answer === 'string' ? JSON.parse(answer) : answer
  return wholeNumber(member(member(member(plans, '0'), 'Plan'), 'Plan Rows'))
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Drivers give a count as a number, a bigint or digits. */
function wholeNumber(value: unknown): number {
  const number = typeof value === 'bigint' || /^\d+$/.test(String(value)) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number
  throw new Failure('internal', 'the database did not answer with a count')
}
