import type { DecisionHook } from '../auth/decision.ts'
import type { Limiter } from '../limits/limiter.ts'

/** Charges what a model call has used, before its decision goes on to `next`. Tools that ask a model charge it themselves. */
export function spendTokens({ spend }: Pick<Limiter, 'spend'>, next: DecisionHook): DecisionHook {
  return (decision) => {
    const { surface, principal, target, tokensIn = 0, tokensOut = 0, tokensGuessed } = decision
    if (surface === 'models' && principal !== undefined && target !== undefined)
      spend(principal, { kind: 'model', name: target }, tokensGuessed ?? tokensIn + tokensOut)
    return next(decision)
  }
}
