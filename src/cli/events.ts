import type { AuditEvent } from '../client/api/audit-event.ts'
import { Failure } from '../failure/failure.ts'
import { type Call, type Command, hasFlag } from './command.ts'
import { type EventQuestion, eventOptions, eventQuestion } from './events-question.ts'
import type { EventPart } from './events-stored.ts'
import { itemPrinter, type Listing, listOptions, pageLimit, showList } from './list-output.ts'
import { placeOptions, type TwoWays, withPart } from './two-ways.ts'

export const eventsList: Command = {
  name: 'events list',
  group: 'Records',
  summary: 'list what was decided, newest first, or follow it as it happens',
  options: {
    ...placeOptions,
    ...eventOptions,
    follow: { type: 'boolean', description: 'Print events as they happen, until Ctrl-C.' },
    ...listOptions,
  },
  details: [
    'TIME is one of RFC 3339, a day such as 2026-11-15 (its beginning, in UTC), or how long ago: 45s, 30m, 12h, 30d.',
    'WHAT is a tool, a model, or what was asked for where neither was named.',
  ].join('\n'),
  example: 'postern events list --decision deny --from 1h --all --json',
  run: async (call) => {
    const question = eventQuestion(call, Date.now())
    if (hasFlag(call, 'follow')) await follow(call, question)
    else await list(call, question)
    return 0
  },
}

const eventPart: TwoWays<EventPart> = {
  stored: async (opened) => (await import('./events-stored.ts')).storedEvents(opened),
  remote: ({ api }) => api,
}

async function list(call: Call, question: EventQuestion): Promise<void> {
  const limit = pageLimit(call)
  const isWhole = Object.keys(question).every((key) => key === 'order') && question.order !== 'oldest'
  await withPart(call, eventPart, async ({ events }) => {
    // Only where somebody sees how far it has come.
    const first = isWhole && call.io.isAttended ? await oldest(events) : undefined
    // Numbers have no gaps: the newest and the oldest one that retention has left say how many there are.
    const shown: Listing<AuditEvent> =
      first === undefined ? listing : { ...listing, expected: ({ seq }) => seq - first.seq + 1 }
    await showList(call, events({ ...question, limit }), shown)
  })
}

async function oldest(events: EventPart['events']): Promise<AuditEvent | undefined> {
  for await (const event of events({ order: 'oldest', limit: 1 })) return event
  return undefined
}

async function follow(call: Call, { order, ...filters }: EventQuestion): Promise<void> {
  if (order !== undefined || hasFlag(call, 'all') || call.values.limit !== undefined)
    throw new Failure('invalid-request', '--follow shows what comes: leave out --order, --all and --limit')
  const { io } = call
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) io.onSignal(signal, () => stop.abort())
  const print = itemPrinter(call, listing)
  if (io.isAttended) io.err('Events are shown as they happen; Ctrl-C stops.\n')
  try {
    await withPart(call, eventPart, async ({ followEvents }) => {
      for await (const event of followEvents({ ...filters, signal: stop.signal })) print([event])
    })
  } catch (error) {
    if (!stop.signal.aborted) throw error
  }
}

const listing: Listing<AuditEvent> = {
  noun: 'events',
  headings: ['NUMBER', 'TIME', 'WHO', 'SURFACE', 'WHAT', 'DECISION', 'REASON', 'STATUS', 'MS'],
  row: (event) => [
    String(event.seq),
    `${event.time.slice(0, 19).replace('T', ' ')}Z`,
    event.principal ?? '-',
    event.surface,
    event.target === null ? event.action : `${event.action} ${event.target}`,
    event.decision,
    event.reason,
    event.status === 0 ? '-' : String(event.status),
    (event.duration_us / 1000).toFixed(1),
  ],
  none: 'There are no such events.\n',
}
