import { pageFailure } from './page-failure.ts'
import { repeated } from './query.ts'

export interface LimitRule {
  readonly default: number
  readonly maximum: number
  /** `lower` is what AIP-158 asks of page sizes; where a client counts by itself, lowering would skip rows. */
  readonly overMaximum: 'refuse' | 'lower'
  /** AIP-158: a page size of 0 means the default. */
  readonly zero: 'refuse' | 'default'
}

export function readLimit(rule: LimitRule, name: string, given: unknown): number {
  if (given === undefined) return rule.default
  if (given === repeated) throw pageFailure('invalid_limit', name, `${name} must be given once`)
  const limit = wholeNumber(given)
  if (limit === 0 && rule.zero === 'default') return rule.default
  if (limit !== undefined && limit >= 1 && limit <= rule.maximum) return limit
  if (limit !== undefined && limit > rule.maximum && rule.overMaximum === 'lower') return rule.maximum
  const smallest = rule.zero === 'default' ? 0 : 1
  const range =
    rule.overMaximum === 'lower' ? `of ${smallest} or more` : `from ${smallest} to ${rule.maximum}`
  throw pageFailure('invalid_limit', name, `${name} must be a whole number ${range}`)
}

export function readOffset(maximum: number, name: string, given: unknown): number {
  if (given === undefined) return 0
  if (given === repeated) throw pageFailure('invalid_offset', name, `${name} must be given once`)
  const offset = wholeNumber(given)
  if (offset === undefined)
    throw pageFailure('invalid_offset', name, `${name} must be a whole number of 0 or more`)
  if (offset > maximum)
    throw pageFailure(
      'invalid_offset',
      name,
      `${name} must be at most ${maximum}: narrow the list by its filters`,
    )
  return offset
}

/** Plain decimal digits only: `1e3`, `0x10`, `+1`, `01` and `1.0` are numbers to JavaScript, but not to a client. */
function wholeNumber(given: unknown): number | undefined {
  if (typeof given !== 'string' || !/^(0|[1-9]\d*)$/.test(given)) return undefined
  return Math.min(Number(given), Number.MAX_SAFE_INTEGER)
}
