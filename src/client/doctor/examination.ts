import { untilAborted } from '../abort.ts'
import { bad, type Check, type Outcome } from './check.ts'
import { explainNetworkError } from './network-words.ts'

export interface ExaminationOptions {
  readonly fetch?: typeof globalThis.fetch
  /** The clock of this machine, in milliseconds since 1970. */
  readonly now?: () => number
  /** How long one check may take. Default 10 seconds. */
  readonly timeoutMs?: number
  /** Called as soon as a check is done. */
  readonly onCheck?: (check: Check) => void
}

/** A run of checks, one after the other, each within its time. */
export interface Examination {
  readonly fetch: typeof globalThis.fetch
  readonly now: () => number
  readonly checks: readonly Check[]
  /** Runs one check and notes it; what it throws is a failure on the way to `place`. */
  readonly check: <Value>(
    name: string,
    work: (signal: AbortSignal) => Promise<Outcome<Value>> | Outcome<Value>,
    place?: string,
  ) => Promise<Value | undefined>
}

export function openExamination(options: ExaminationOptions = {}): Examination {
  const { fetch = globalThis.fetch, now = Date.now, timeoutMs = 10_000, onCheck } = options
  const checks: Check[] = []
  return {
    fetch,
    now,
    checks,
    check: async (name, work, place = name) => {
      const startedAt = performance.now()
      const signal = AbortSignal.timeout(timeoutMs)
      const { value, ...outcome } = await attempt(place, () => untilAborted(signal, async () => work(signal)))
      const check = { name, ...outcome, ms: Math.round(performance.now() - startedAt) }
      checks.push(check)
      onCheck?.(check)
      return value
    },
  }
}

async function attempt<Value>(place: string, work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
  try {
    return await work()
  } catch (error) {
    return bad(explainNetworkError(error, place))
  }
}
