import { type Decision, type DecisionHook, guardHook } from '../auth/decision.ts'
import type { RareWarning } from '../log/rare-warning.ts'
import { type Clock, microsecondClock } from '../store/clock.ts'
import type { Callers } from './callers.ts'
import type { Exchange } from './exchange.ts'

/** The answer waits for the promise, where there is one; a broken one has the failure to answer with instead. */
export type Reporter = (exchange: Exchange, status: number) => Promise<void> | undefined

export interface ReporterOptions {
  readonly onDecision: DecisionHook | undefined
  readonly callers: Callers
  readonly warn: RareWarning
  readonly now?: Clock
}

/** Tells each decision once, as soon as the answer is known; 499 stands for an answer that nobody waits for. */
export function createReporter({ onDecision, warn, ...options }: ReporterOptions): Reporter {
  const tell = guardHook(onDecision, warn)
  const parts = { now: microsecondClock(), ...options }
  if (tell === undefined) return () => undefined
  return (exchange, status) => {
    if (exchange.isTold) return undefined
    exchange.isTold = true
    return tell(decisionOf(exchange, status, parts))
  }
}

interface Parts {
  readonly callers: Callers
  readonly now: Clock
}

function decisionOf(exchange: Exchange, status: number, { callers, now }: Parts): Decision {
  const { principal, failure, tool } = exchange
  return {
    time: now(),
    surface: 'tools',
    principal,
    action: exchange.method.slice(0, longestWord),
    target: tool?.name,
    needed: tool?.challenge ?? nothing,
    held: principal === undefined ? nothing : callers.of(principal).held,
    outcome: failure === undefined ? 'allow' : 'deny',
    reason: failure === undefined ? (reasons.get(status) ?? 'ok') : (failure.reason ?? failure.code),
    status,
    durationMs: performance.now() - exchange.startedAt,
    requestId: exchange.requestId,
    revision: exchange.revision.slice(0, longestWord),
    ...(exchange.tokensIn !== undefined && { tokensIn: exchange.tokensIn }),
    ...(exchange.tokensOut !== undefined && { tokensOut: exchange.tokensOut }),
  }
}

const reasons: ReadonlyMap<number, string> = new Map([[499, 'cancelled']])
const nothing: readonly string[] = []

/** A caller may send megabytes where a method or a date belongs; a record of it need not keep them. */
const longestWord = 128
