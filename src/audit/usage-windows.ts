import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { PagePlan } from '../paging/page-plan.ts'
import type { Store, StoreSchema } from '../store/store.ts'
import { columnText } from './audit-line.ts'
import type { UsageQuestion, UsageRow } from './usage-question.ts'

/**
 * The rows of one page. Sums have no index, so buckets are summed up a few at a time from where the page begins: what lies
 * behind the page costs nothing, however much there is.
 */
export async function readUsage(
  { db }: Store,
  question: UsageQuestion,
  plan: PagePlan,
): Promise<readonly UsageRow[]> {
  const length = bucketLengths[question.bucket]
  const isDescending = plan.order[0]?.direction === 'descending'
  const rows: UsageRow[] = []
  let rest: Span | undefined = wholeSpan(question, plan, length)
  for (let buckets = 1; rest !== undefined && rows.length < plan.take; buckets *= 2) {
    const next = await nextBucket(db, { question, span: rest, isDescending })
    if (next === undefined) break
    const begin = next - (next % length)
    const window: Span = isDescending
      ? { from: Math.max(rest.from, begin - (buckets - 1) * length), before: begin + length }
      : { from: begin, before: Math.min(rest.before, begin + buckets * length) }
    rows.push(...(await sums(db, { question, window, plan, limit: plan.take - rows.length })))
    rest = isDescending
      ? { from: rest.from, before: window.from }
      : { from: window.before, before: rest.before }
  }
  return rows
}

const bucketLengths = { hour: 3_600_000_000, day: 86_400_000_000 } as const

/** Hours from the one and before the other. */
interface Span {
  readonly from: number
  readonly before: number
}

function wholeSpan({ filters }: UsageQuestion, plan: PagePlan, length: number): Span {
  const isDescending = plan.order[0]?.direction === 'descending'
  const { from = 0, to = lastMoment } = filters
  const span = { from: from - (from % length), before: to - (to % length) + length }
  const reached = plan.after === null ? undefined : Number(plan.after[0])
  if (reached === undefined) return span
  return isDescending
    ? { ...span, before: Math.min(span.before, reached + length) }
    : { ...span, from: Math.max(span.from, reached) }
}

/** A day before the last number that is exact. */
const lastMoment = Number.MAX_SAFE_INTEGER - bucketLengths.day

/** The nearest hour in which anything was used. */
async function nextBucket(
  db: Kysely<StoreSchema>,
  { question, span, isDescending }: { question: UsageQuestion; span: Span; isDescending: boolean },
): Promise<number | undefined> {
  const order = sql.raw(isDescending ? 'desc' : 'asc')
  const { rows } = await sql<{ readonly hour: number }>`select hour from usage_hours
    where ${within(question, span)} order by hour ${order} limit 1`.execute(db)
  return rows[0]?.hour
}

interface Sums {
  readonly question: UsageQuestion
  readonly window: Span
  readonly plan: PagePlan
  readonly limit: number
}

async function sums(
  db: Kysely<StoreSchema>,
  { question, window, plan, limit }: Sums,
): Promise<readonly UsageRow[]> {
  const length = sql.lit(bucketLengths[question.bucket])
  const told = (column: string, isTold: boolean): RawBuilder<unknown> =>
    isTold ? sql.ref(column) : sql`cast('' as text)`
  const by = new Set(question.by)
  const hours = sql`select hour - hour % ${length} as bucket, ${told('surface', by.has('surface'))} as surface,
    ${told('issuer', by.has('principal'))} as issuer, ${told('principal', by.has('principal'))} as principal,
    ${told('target', by.has('target'))} as target, calls, denials, tokens_in, tokens_out
    from usage_hours where ${within(question, window)}`
  const { rows } = await sql<UsageRow>`select bucket, surface, issuer, principal, target,
    cast(sum(calls) as bigint) as calls, cast(sum(denials) as bigint) as denials,
    cast(sum(tokens_in) as bigint) as tokens_in, cast(sum(tokens_out) as bigint) as tokens_out
    from (${hours}) as hours where ${following(plan)}
    group by bucket, surface, issuer, principal, target order by ${orderOf(plan)} limit ${limit}`.execute(db)
  return rows
}

function within({ filters }: UsageQuestion, { from, before }: Span): RawBuilder<unknown> {
  const tests = [sql`hour >= ${from}`, sql`hour < ${before}`]
  for (const column of ['surface', 'issuer', 'principal', 'target'] as const) {
    const value = filters[column]
    if (value !== undefined) tests.push(sql`${sql.ref(column)} = ${columnText(value)}`)
  }
  return sql.join(tests, sql` and `)
}

/** Only rows strictly after the place of the page; the window has left out all but its bucket already. */
function following({ after, order }: PagePlan): RawBuilder<unknown> {
  if (after === null) return sql`1 = 1`
  const [bucket, ...values] = after
  const columns = sql.join(order.slice(1).map(({ column }) => sql.ref(column)))
  const sign = sql.raw(order[1]?.direction === 'descending' ? '<' : '>')
  return sql`(bucket <> ${bucket} or (${columns}) ${sign} (${sql.join(values)}))`
}

function orderOf({ order }: PagePlan): RawBuilder<unknown> {
  return sql.join(
    order.map(({ column, direction }) =>
      direction === 'descending' ? sql`${sql.ref(column)} desc` : sql`${sql.ref(column)} asc`,
    ),
  )
}
