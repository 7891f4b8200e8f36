import type { EventListOptions } from '../client/api/api-client.ts'
import type { EventFilters } from '../client/api/audit-event.ts'
import { Failure } from '../failure/failure.ts'
import { readTimestamp } from '../store/timestamp.ts'
import { type Call, type CommandOption, textOption } from './command.ts'
import { readDuration } from './duration.ts'
import { whoOptions, whoQuestion } from './who-question.ts'

/** Which events are asked for; what was not asked is not there. */
export interface EventQuestion extends EventFilters {
  readonly order?: NonNullable<EventListOptions['order']>
}

const decisions = ['allow', 'deny'] as const
const surfaces = ['tools', 'models', 'api'] as const
const orders = ['newest', 'oldest'] as const

export const eventOptions: Readonly<Record<string, CommandOption>> = {
  ...whoOptions('calls'),
  action: { type: 'string', placeholder: 'WHAT', description: 'Only calls of what.' },
  decision: { type: 'string', placeholder: decisions.join('|'), description: 'Only what was decided so.' },
  surface: { type: 'string', placeholder: surfaces.join('|'), description: 'Only what was called there.' },
  from: { type: 'string', placeholder: 'TIME', description: 'Only what was recorded then or later.' },
  to: { type: 'string', placeholder: 'TIME', description: 'Only what was recorded then or earlier.' },
  order: { type: 'string', placeholder: orders.join('|'), description: 'Which come first (default newest).' },
}

/** `now` in milliseconds since 1970. */
export function eventQuestion(call: Call, now: number): EventQuestion {
  const action = textOption(call, 'action')
  const decision = choice(call, 'decision', decisions)
  const surface = choice(call, 'surface', surfaces)
  const order = choice(call, 'order', orders)
  const [from, to] = ['from', 'to'].map((name) => moment(call, name, now))
  return {
    ...whoQuestion(call),
    ...(action === undefined ? {} : { action }),
    ...(decision === undefined ? {} : { decision }),
    ...(surface === undefined ? {} : { surface }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(order === undefined ? {} : { order }),
  }
}

function choice<Choice extends string>(
  call: Call,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const given = textOption(call, name)
  if (given === undefined) return undefined
  const found = choices.find((one) => one === given)
  if (found !== undefined) return found
  throw new Failure('invalid-request', `--${name} must be one of ${choices.join(', ')}, not "${given}"`)
}

function moment(call: Call, name: string, now: number): string | undefined {
  const given = textOption(call, name)
  if (given === undefined) return undefined
  if (/^\d+[smhd]$/.test(given))
    return new Date(Math.max(now - readDuration(given, `--${name}`) * 1000, 0)).toISOString()
  const time = /^\d{4}-\d\d-\d\d$/.test(given) ? `${given}T00:00:00Z` : given
  if (readTimestamp(time) !== undefined) return time
  throw new Failure(
    'invalid-request',
    `--${name} must be a time such as 2026-11-15T09:30:00Z, a day such as 2026-11-15, or how long ago, such as 12h; not "${given}"`,
  )
}
