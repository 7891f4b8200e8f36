import { type Decision, type DecisionHook, guardHook } from '../auth/decision.ts'
import type { RareWarning } from '../log/rare-warning.ts'
import { type Clock, microsecondClock } from '../store/clock.ts'
import type { AdminExchange } from './exchange.ts'
import { scopesOf } from './operation.ts'

/** The answer waits for the promise, where there is one; a broken one has the failure to answer with instead. */
export type Reporter = (exchange: AdminExchange, status: number) => Promise<void> | undefined

/** Tells each decision once, as soon as the answer is known. */
export function createReporter(
  onDecision: DecisionHook | undefined,
  warn: RareWarning,
  now: Clock = microsecondClock(),
): Reporter {
  const tell = guardHook(onDecision, warn)
  if (tell === undefined) return () => undefined
  return (exchange, status) => {
    if (exchange.isTold) return undefined
    exchange.isTold = true
    return tell(decisionOf(exchange, status, now()))
  }
}

function decisionOf(exchange: AdminExchange, status: number, time: number): Decision {
  const { operation, principal, failure } = exchange
  return {
    time,
    surface: 'api',
    principal,
    action: `${operation.method} /api/v1${operation.path}`,
    target: exchange.target,
    needed: scopesOf(operation),
    held: principal === undefined ? [] : [...principal.scopes],
    outcome: failure === undefined ? 'allow' : 'deny',
    reason: failure?.reason ?? failure?.code ?? 'ok',
    status,
    durationMs: performance.now() - exchange.startedAt,
    requestId: exchange.requestId,
    revision: 'v1',
  }
}
