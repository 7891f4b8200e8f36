import { type DecisionHook, guardHook } from '../auth/decision.ts'
import type { RareWarning } from '../log/rare-warning.ts'
import { type Clock, microsecondClock } from '../store/clock.ts'
import type { ModelCall } from './model-call.ts'

/** The answer waits for the promise, where there is one; a broken one has the failure to answer with instead. */
export type CallReporter = (call: ModelCall, status: number) => Promise<void> | undefined

/** Tells each decision once, as soon as the answer is known; 499 stands for an answer that nobody waited for. */
export function createCallReporter(
  onDecision: DecisionHook | undefined,
  warn: RareWarning,
  now: Clock = microsecondClock(),
): CallReporter {
  const tell = guardHook(onDecision, warn)
  if (tell === undefined) return () => undefined
  return (call, status) => {
    if (call.isTold) return undefined
    call.isTold = true
    const { caller, failure } = call
    const target = call.model?.name ?? call.name
    return tell({
      time: now(),
      surface: 'models',
      principal: caller?.principal,
      action: call.operation.slice(0, longestWord),
      target: target === '' ? undefined : target.slice(0, longestWord),
      needed: call.scopes,
      held: caller === undefined ? [] : [...caller.principal.scopes],
      outcome: failure === undefined || failure.reason === 'cancelled' ? 'allow' : 'deny',
      reason: failure?.reason ?? failure?.code ?? (status === 499 ? 'cancelled' : 'ok'),
      status,
      durationMs: performance.now() - call.startedAt,
      requestId: call.requestId,
      revision: call.version,
      ...(call.tokensIn === undefined ? {} : { tokensIn: call.tokensIn }),
      ...(call.tokensOut === undefined ? {} : { tokensOut: call.tokensOut }),
      ...(call.tokensGuessed === undefined ? {} : { tokensGuessed: call.tokensGuessed }),
    })
  }
}

/** Both are the caller's own words until a model was found; a record of them need not keep more. */
const longestWord = 256
