import type { PagePlan } from './page-plan.ts'
import { type KeyTest, type SeekRange, seekRanges } from './seek-ranges.ts'
import type { SortKey } from './sort.ts'
import { columnName, type Dialect, type SqlWriter, type Statement, sqlWriter } from './sql-writer.ts'

/** The statement that reads a page of `source`: any SELECT with the sort's columns, without ORDER BY and LIMIT. */
export function compilePage(plan: PagePlan, source: Statement, dialect: Dialect): Statement {
  const writer = sqlWriter(source, dialect)
  const sql = comparesRows(plan, dialect) ? rowsAfter(plan, writer) : unions[dialect](plan, writer)
  return { sql, params: writer.params() }
}

/** On SQLite a row value whose tie-break is the rowid seeks by its first column only; ranges do not have that fault. */
function comparesRows({ order, after }: PagePlan, dialect: Dialect): boolean {
  const sameWay = order.every((key) => key.direction === order[0]?.direction && key.nulls === undefined)
  const mayBeRowid = order.some((key) => key.unique === true && key.type === 'integer')
  return after !== null && sameWay && !(dialect === 'sqlite' && mayBeRowid)
}

function rowsAfter(plan: PagePlan, writer: SqlWriter): string {
  const comparison = (): string => {
    const columns = plan.order.map(columnName).join(', ')
    const values = plan.order.map((key, index) => writer.value(key, plan.after?.[index] ?? null)).join(', ')
    return `(${columns}) ${beyond(plan.order[0])} (${values})`
  }
  return `${readSource(plan, writer, comparison)} ${orderBy(plan.order)} ${limit(plan)}`
}

const unions = { sqlite: mergedRanges, postgres: limitedRanges } as const satisfies Record<Dialect, unknown>

/** SQLite merges ordered ranges row by row and stops at the limit, so nothing is read that is not shown. */
function mergedRanges(plan: PagePlan, writer: SqlWriter): string {
  const ranges = seekRanges(plan).map((range) => readRange(range, plan, writer))
  return `${ranges.join(' UNION ALL ')} ${orderBy(plan.order)} ${limit(plan)}`
}

/** Postgres may sort what it could merge; with a limit in each range that is never more than a few pages. */
function limitedRanges(plan: PagePlan, writer: SqlWriter): string {
  const ranges = seekRanges(plan).map((range) => `${readRange(range, plan, writer)} ${orderBy(range.order)}`)
  const [only, ...others] = ranges
  if (only !== undefined && others.length === 0) return `${only} ${limit(plan)}`
  const parts = ranges.map((range) => `(${range} LIMIT ${plan.skip + plan.take})`)
  return `SELECT * FROM (${parts.join(' UNION ALL ')}) AS "page" ${orderBy(plan.order)} ${limit(plan)}`
}

function readRange(range: SeekRange, plan: PagePlan, writer: SqlWriter): string {
  return readSource(plan, writer, () => range.tests.map((test) => testSql(test, writer)).join(' AND '))
}

function limit(plan: PagePlan): string {
  return `LIMIT ${plan.take}${plan.skip === 0 ? '' : ` OFFSET ${plan.skip}`}`
}

function readSource(plan: PagePlan, writer: SqlWriter, condition: () => string): string {
  const from = `SELECT * FROM (${writer.source()}) AS "list"`
  const tests = [condition()]
  if (plan.bound !== null)
    tests.push(`${columnName(plan.bound.key)} <= ${writer.value(plan.bound.key, plan.bound.value)}`)
  const where = tests.filter((test) => test !== '').join(' AND ')
  return where === '' ? from : `${from} WHERE ${where}`
}

function testSql({ key, is, value }: KeyTest, writer: SqlWriter): string {
  const column = columnName(key)
  if (is === 'null') return `${column} IS NULL`
  if (is === 'set') return `${column} IS NOT NULL`
  return `${column} ${is === 'equal' ? '=' : beyond(key)} ${writer.value(key, value)}`
}

function beyond(key: SortKey | undefined): '<' | '>' {
  return key?.direction === 'descending' ? '<' : '>'
}

function orderBy(order: readonly SortKey[]): string {
  const keys = order.map((key) => {
    const nulls = key.nulls === undefined ? '' : ` NULLS ${key.nulls.toUpperCase()}`
    return `${columnName(key)} ${key.direction === 'descending' ? 'DESC' : 'ASC'}${nulls}`
  })
  return `ORDER BY ${keys.join(', ')}`
}
