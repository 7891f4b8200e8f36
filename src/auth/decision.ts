import type { Principal } from './principal.ts'

/** One decision of a gate, with all that an audit asks for. */
export interface Decision {
  /** Microseconds since 1970, when the answer was known. */
  readonly time: number
  readonly surface: 'tools' | 'models'
  /** Nobody, when the credential was missing or bad. */
  readonly principal: Principal | undefined
  /** What was asked for, such as `tools/call` or `generateContent`; empty when that was not read, cut when overlong. */
  readonly action: string
  /** The tool or model that was named. */
  readonly target: string | undefined
  readonly needed: readonly string[]
  readonly held: readonly string[]
  readonly outcome: 'allow' | 'deny'
  /** `ok`, `cancelled`, or a stable word for what was wrong. */
  readonly reason: string
  /** The HTTP status; 499 when the caller left before the answer was whole. */
  readonly status: number
  readonly durationMs: number
  readonly requestId: string
  /** The revision of the protocol that was spoken. */
  readonly revision: string
  /** What a model read and wrote, where it says so. */
  readonly tokensIn?: number
  readonly tokensOut?: number
}

/** Called once for each request, as soon as its answer is known. */
export type DecisionHook = (decision: Decision) => void

/** A hook that may throw or fail later without harm: it is called from callbacks above which nobody would catch. */
export function guardedHook(
  onDecision: DecisionHook | undefined,
  warn: (message: string, error: unknown) => void,
): DecisionHook | undefined {
  if (onDecision === undefined) return undefined
  const complain = (error: unknown): void => warn('the hook for decisions failed', error)
  return (decision) => {
    try {
      const told: unknown = onDecision(decision)
      if (told instanceof Promise) told.catch(complain)
    } catch (error) {
      complain(error)
    }
  }
}
