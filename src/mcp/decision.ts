import type { Principal } from '../auth/principal.ts'
import type { Callers } from './callers.ts'
import type { Exchange } from './exchange.ts'
import type { RareWarning } from './rare-warning.ts'

/** One decision of the gate, with all that an audit asks for. */
export interface Decision {
  /** Microseconds since 1970, when the answer was known. */
  readonly time: number
  /** Nobody, when the token was missing or bad. */
  readonly principal: Principal | undefined
  /** The method of the message, such as `tools/call`; empty when the message was not read, cut when it is overlong. */
  readonly action: string
  readonly tool: string | undefined
  readonly needed: readonly string[]
  readonly held: readonly string[]
  readonly outcome: 'allow' | 'deny'
  /** `ok`, `cancelled`, or a stable word for what was wrong. */
  readonly reason: string
  /** The HTTP status; 499 when the caller left before its tool was done. */
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
  readonly revision: string
}

export type Reporter = (exchange: Exchange, status: number) => void

export interface ReporterOptions {
  readonly onDecision: ((decision: Decision) => void) | undefined
  readonly callers: Callers
  readonly warn: RareWarning
}

/** Tells each decision once, as soon as the answer is known; 499 stands for an answer that nobody waits for. */
export function createReporter({ onDecision, callers, warn }: ReporterOptions): Reporter {
  if (onDecision === undefined) return () => undefined
  const complain = (error: unknown): void => warn('the hook for decisions failed', error)
  return (exchange, status) => {
    if (exchange.isTold) return
    exchange.isTold = true
    // Called from callbacks of the socket, above which nobody would catch.
    try {
      const told: unknown = onDecision(decisionOf(exchange, status, callers))
      if (told instanceof Promise) told.catch(complain)
    } catch (error) {
      complain(error)
    }
  }
}

function decisionOf(exchange: Exchange, status: number, callers: Callers): Decision {
  const { principal, failure, tool } = exchange
  const now = performance.now()
  return {
    time: Math.round((performance.timeOrigin + now) * 1000),
    principal,
    action: exchange.method.slice(0, longestWord),
    tool: tool?.name,
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
