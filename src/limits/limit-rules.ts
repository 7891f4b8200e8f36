import type { Config } from '../config/config-schema.ts'

/** What a call is for. */
export interface LimitTarget {
  readonly kind: 'tool' | 'model'
  readonly name: string
}

export interface LimitRule {
  /** Stands in the key of every counter of this rule. */
  readonly id: string
  readonly what: 'requests' | 'tokens'
  readonly limit: number
  readonly windowMs: number
  /** Who has a counter of their own. */
  readonly of: 'principal' | 'key' | 'everyone'
  readonly target: LimitTarget | undefined
  /** `600 requests a minute of one principal`. */
  readonly words: string
}

/** The rules for one kind of call. */
export interface RuleSet {
  /** For a request of which the target is known, or has none. */
  readonly request: readonly LimitRule[]
  /** For a target that is known only after the request was counted. */
  readonly target: readonly LimitRule[]
  /** For the tokens that were used. */
  readonly spend: readonly LimitRule[]
}

/** The rules for a target; for the same kind of call it is always the same set. */
export function limitRules(settings: Config['limits']): (target: LimitTarget | undefined) => RuleSet {
  const all = [
    ...rulesFrom({ requestsPerMinute: settings.perPrincipalPerMinute }, { of: 'principal' }),
    ...rulesFrom(settings.perPrincipal, { of: 'principal' }),
    ...rulesFrom(settings.perKey, { of: 'key' }),
  ]
  const requests = all.filter(({ what }) => what === 'requests')
  const tokens = all.filter(({ what }) => what === 'tokens')
  const none: RuleSet = { request: requests, target: [], spend: tokens }

  // Only a model uses tokens, so nothing else is refused for want of them.
  const tool = (own: readonly LimitRule[]): RuleSet => ({
    request: [...requests, ...own],
    target: own,
    spend: tokens,
  })
  const model = (own: readonly LimitRule[]): RuleSet => ({
    request: [...all, ...own],
    target: [...tokens, ...own],
    spend: [...tokens, ...own.filter(({ what }) => what === 'tokens')],
  })
  const sets = {
    tool: setsOf('tool', settings.tools, tool),
    model: setsOf('model', settings.models, model),
  }
  const others = { tool: tool([]), model: model([]) }
  return (target) =>
    target === undefined ? none : (sets[target.kind].get(target.name) ?? others[target.kind])
}

type Amounts = Readonly<Partial<Record<keyof typeof shapes, number>>>

/** A number alone is the calls a minute of one principal. */
type TargetLimits = number | (Amounts & { readonly of: 'principal' | 'everyone' })

function setsOf(
  kind: LimitTarget['kind'],
  limits: Readonly<Record<string, TargetLimits>>,
  combine: (own: readonly LimitRule[]) => RuleSet,
): ReadonlyMap<string, RuleSet> {
  return new Map(
    Object.entries(limits).map(([name, given]) => {
      const target = { kind, name }
      const own =
        typeof given === 'number'
          ? rulesFrom({ requestsPerMinute: given }, { of: 'principal', target })
          : rulesFrom(given, { of: given.of, target })
      return [name, combine(own)]
    }),
  )
}

const shapes = {
  requestsPerMinute: { what: 'requests', period: 'minute', windowMs: 60_000 },
  requestsPerDay: { what: 'requests', period: 'day', windowMs: 86_400_000 },
  tokensPerMinute: { what: 'tokens', period: 'minute', windowMs: 60_000 },
  tokensPerDay: { what: 'tokens', period: 'day', windowMs: 86_400_000 },
} as const

const names = ['requestsPerMinute', 'requestsPerDay', 'tokensPerMinute', 'tokensPerDay'] as const

const holders = {
  principal: 'of one principal',
  key: 'with one key',
  everyone: 'of all callers together',
} as const satisfies Record<LimitRule['of'], string>

function rulesFrom(
  amounts: Amounts,
  { of, target }: { readonly of: LimitRule['of']; readonly target?: LimitTarget },
): readonly LimitRule[] {
  return names.flatMap((name): readonly LimitRule[] => {
    const limit = amounts[name]
    if (limit === undefined) return []
    const { what, period, windowMs } = shapes[name]
    const place = target === undefined ? '' : ` for the ${target.kind} ${target.name}`
    const words = `${limit} ${what} a ${period} ${holders[of]}${place}`
    const id = `${target === undefined ? 'all' : target.kind}.${of}.${what}.${period}`
    return [{ id, what, limit, windowMs, of, target, words }]
  })
}
