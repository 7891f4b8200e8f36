import { type Decision, type DecisionHook, guardedHook } from '../auth/decision.ts'
import type { RareWarning } from '../log/rare-warning.ts'
import type { Callers } from './callers.ts'
import type { Exchange } from './exchange.ts'

export type Reporter = (exchange: Exchange, status: number) => void

export interface ReporterOptions {
  readonly onDecision: DecisionHook | undefined
  readonly callers: Callers
  readonly warn: RareWarning
}

/** Tells each decision once, as soon as the answer is known; 499 stands for an answer that nobody waits for. */
export function createReporter({ onDecision, callers, warn }: ReporterOptions): Reporter {
  const tell = guardedHook(onDecision, warn)
  if (tell === undefined) return () => undefined
  return (exchange, status) => {
    if (exchange.isTold) return
    exchange.isTold = true
    tell(decisionOf(exchange, status, callers))
  }
}

function decisionOf(exchange: Exchange, status: number, callers: Callers): Decision {
  const { principal, failure, tool } = exchange
  const now = performance.now()
  return {
    time: Math.round((performance.timeOrigin + now) * 1000),
    surface: 'tools',
    principal,
    action: exchange.method.slice(0, longestWord),
    target: tool?.name,
    needed: tool?.challenge ?? nothing,
    held: principal === undefined ? nothing : callers.of(principal).held,
    outcome: failure === undefined ? 'allow' : 'deny',
    reason: failure === undefined ? (reasons.get(status) ?? 'ok') : (failure.reason ?? failure.code),
    status,
    durationMs: now - exchange.startedAt,
    requestId: exchange.requestId,
    revision: exchange.revision.slice(0, longestWord),
  }
}

const reasons: ReadonlyMap<number, string> = new Map([[499, 'cancelled']])
const nothing: readonly string[] = []

/** A caller may send megabytes where a method or a date belongs; a record of it need not keep them. */
const longestWord = 128
