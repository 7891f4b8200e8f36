import { hash } from 'node:crypto'
import { type Charge, unlimited } from './counters.ts'
import type { LimitRule, RuleSet } from './limit-rules.ts'

/** What limits know of a caller. */
export interface LimitedPrincipal {
  readonly issuer: string
  readonly subject: string
  readonly credential: {
    readonly kind: 'jwt' | 'introspection' | 'api-key' | 'service-account'
    readonly id: string
  }
}

/** A charge, with the limit in words for who is over it. */
export interface WordedCharge extends Charge {
  readonly words: string
}

/** The charges of one principal for one set of rules. */
export interface Charges {
  readonly request: readonly WordedCharge[]
  readonly target: readonly WordedCharge[]
  readonly spend: (tokens: number) => readonly Charge[]
}

/** Worked out once for each principal: one that is remembered from call to call costs no hashing. */
export function createChargeBook(): (principal: LimitedPrincipal, rules: RuleSet) => Charges {
  const known = new WeakMap<LimitedPrincipal, Map<RuleSet, Charges>>()
  return (principal, rules) => {
    let book = known.get(principal)
    if (book === undefined) {
      book = new Map()
      known.set(principal, book)
    }
    const charges = book.get(rules) ?? chargesOf(principal, rules)
    book.set(rules, charges)
    return charges
  }
}

function chargesOf(principal: LimitedPrincipal, rules: RuleSet): Charges {
  const charge = (rule: LimitRule): readonly WordedCharge[] => {
    const key = keyOf(rule, principal)
    const { limit, windowMs, words } = rule
    // How many tokens a call uses is known at its end: before it, they are only asked for.
    return key === undefined ? [] : [{ key, limit, windowMs, words, amount: rule.what === 'tokens' ? 0 : 1 }]
  }
  const spend = rules.spend.flatMap(charge)
  return {
    request: rules.request.flatMap(charge),
    target: rules.target.flatMap(charge),
    spend: (tokens) =>
      spend.map(({ key, windowMs }) => ({ key, windowMs, limit: unlimited, amount: tokens })),
  }
}

/** Who calls is in it as a hash only. The hash tag in braces keeps all keys of a call on one node. */
function keyOf(rule: LimitRule, principal: LimitedPrincipal): string | undefined {
  const whose = holderOf(rule, principal)
  if (whose === undefined) return undefined
  const text = JSON.stringify([rule.target?.name ?? null, ...whose])
  return `{postern}:${rule.id}:${hash('sha256', text, 'base64url').slice(0, 22)}`
}

/** A token is no key: its holder gets another one for the asking. */
function holderOf({ of }: LimitRule, principal: LimitedPrincipal): readonly string[] | undefined {
  const { issuer, subject, credential } = principal
  if (of === 'everyone') return []
  if (of === 'principal') return [issuer, subject]
  const isKey = credential.kind === 'api-key' || credential.kind === 'service-account'
  return isKey ? [credential.kind, credential.id] : undefined
}
