import type { DecisionHook } from '../auth/decision.ts'
import type { ModelCall } from './model-call.ts'

export type CallReporter = (call: ModelCall, status: number) => void

/** Tells each decision once, as soon as the answer is known; 499 stands for an answer that nobody waited for. */
export function createCallReporter(onDecision: DecisionHook | undefined): CallReporter {
  if (onDecision === undefined) return () => undefined
  return (call, status) => {
    if (call.isTold) return
    call.isTold = true
    const { caller, failure } = call
    const now = performance.now()
    onDecision({
      time: Math.round((performance.timeOrigin + now) * 1000),
      surface: 'models',
      principal: caller?.principal,
      action: call.operation,
      target: call.name === '' ? undefined : call.name,
      needed: call.scopes,
      held: caller === undefined ? [] : [...caller.principal.scopes],
      outcome: failure === undefined || failure.reason === 'cancelled' ? 'allow' : 'deny',
      reason: failure?.reason ?? failure?.code ?? (status === 499 ? 'cancelled' : 'ok'),
      status,
      durationMs: now - call.startedAt,
      requestId: call.requestId,
      revision: call.version,
      ...(call.tokensIn === undefined ? {} : { tokensIn: call.tokensIn }),
      ...(call.tokensOut === undefined ? {} : { tokensOut: call.tokensOut }),
    })
  }
}
