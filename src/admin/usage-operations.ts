import { Type } from 'typebox'
import { createUsageList, type UsagePlace, usageSort } from '../audit/usage-list.ts'
import type { UsageQuestion, UsageRow } from '../audit/usage-question.ts'
import { Failure } from '../failure/failure.ts'
import { definePager } from '../paging/pager.ts'
import { timestamp } from '../store/timestamp.ts'
import { type AdminParts, audienceOf } from './admin-parts.ts'
import type { AdminCall, Operation } from './operation.ts'
import { ownFilters } from './own-filters.ts'
import { count, givenTime, orNull, surface, time } from './schema-parts.ts'

const query = Type.Object({
  bucket: Type.Optional(Type.Enum(['hour', 'day'], { default: 'hour', description: 'In UTC' })),
  by: Type.Optional(
    Type.String({
      pattern: '^(none|(principal|target|surface)(,(principal|target|surface)){0,2})$',
      default: 'principal,target,surface',
      description:
        'What rows are told apart by besides their time: some of principal,target,surface, or none',
    }),
  ),
  principal: Type.Optional(Type.String()),
  issuer: Type.Optional(Type.String({ description: 'Who vouches for the principal' })),
  target: Type.Optional(Type.String({ description: 'A tool or a model' })),
  surface: Type.Optional(surface),
  from: Type.Optional(time('A day before `to` unless given')),
  to: Type.Optional(time('The time of the first page unless given')),
})

const row = Type.Object(
  {
    bucket: time('The beginning of the hour or day'),
    surface: orNull(surface),
    issuer: orNull(Type.String()),
    principal: orNull(Type.String()),
    target: orNull(
      Type.String({
        description:
          'The tool or model; null for what names none, for the surface api, and for what was refused',
      }),
    ),
    calls: count('Calls, refused ones among them'),
    denials: count('Refused calls'),
    tokens_in: count('What models read'),
    tokens_out: count('What models wrote'),
  },
  { title: 'Usage', additionalProperties: false },
)

/** `/usage`: how much was used, by whom, of what. */
export function usageOperations({ store, now, tokens }: AdminParts): readonly Operation[] {
  const usage = createUsageList(store)
  const pager = definePager<UsagePlace>({
    id: 'usage',
    style: 'cursor',
    sorts: { newest: usageSort },
    tokens,
    isPrivate: true,
    // The cursor carries the time of the first page, so that "the last day" stays the same day on every page.
    asOf: 'bucket',
  })
  return [
    {
      method: 'GET',
      path: '/usage',
      id: 'listUsage',
      summary: 'Calls and tokens in each hour or day, newest first; at most 31 days of hours or 366 days',
      scope: 'usage:read',
      ownScope: 'own:read',
      query,
      pageStyle: 'cursor',
      answer: row,
      status: 200,
      run: async (call) => {
        const question = questionOf(call)
        const request = pager.parse(call.query, {
          filters: question,
          principal: audienceOf(call.owner),
          asOf: now(),
        })
        const filters = { ...question.filters, ...range(question, Number(request.asOf)) }
        const page = await usage.list({ pager, request, question: { ...question, filters } })
        return { page: { ...page, items: page.items.map(usageView) } }
      },
    },
  ]
}

function questionOf({ query: asked, owner }: AdminCall<unknown>): UsageQuestion {
  const { bucket, by, target, surface: on, from, to } = asked
  const names = by?.split(',')
  return {
    bucket: bucket === 'day' ? 'day' : 'hour',
    by: groups.filter((name) => names?.includes(name) ?? true),
    filters: {
      ...ownFilters(owner, asked),
      target,
      surface: on === 'tools' || on === 'models' || on === 'api' ? on : undefined,
      from: from === undefined ? undefined : givenTime('from', from),
      to: to === undefined ? undefined : givenTime('to', to),
    },
  }
}

const groups = ['principal', 'target', 'surface'] as const
const day = 86_400_000_000
const longest = { hour: 31, day: 366 } as const

function range(
  { bucket, filters }: UsageQuestion,
  newest: number,
): { readonly from: number; readonly to: number } {
  const to = filters.to ?? newest
  const from = filters.from ?? to - day
  if (from <= to && to - from <= longest[bucket] * day) return { from, to }
  const wrong =
    from > to
      ? 'from must not be after to'
      : `from and to may be at most ${longest[bucket]} days apart for each ${bucket}`
  throw new Failure('invalid-request', wrong, { field: 'from', recovery: 'fix_request' })
}

function usageView(used: UsageRow): object {
  return {
    bucket: timestamp(used.bucket),
    surface: textOrNull(used.surface),
    issuer: textOrNull(used.issuer),
    principal: textOrNull(used.principal),
    target: textOrNull(used.target),
    calls: used.calls,
    denials: used.denials,
    tokens_in: used.tokens_in,
    tokens_out: used.tokens_out,
  }
}

/** Empty is what rows are not told apart by. */
function textOrNull(text: string): string | null {
  return text === '' ? null : text
}
