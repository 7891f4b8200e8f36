import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'

export type CheckOutcome = 'ok' | 'failed'
export type Readiness = () => Promise<Readonly<Record<string, CheckOutcome>>>

export interface ReadinessOptions {
  readonly checks: Readonly<Record<string, () => Promise<void>>>
  readonly log: Log
  /** A check that takes longer has failed. */
  readonly timeoutMs?: number
}

export function createReadiness(options: ReadinessOptions): Readiness {
  const probes = Object.keys(options.checks).map((name) => ({ name, probe: createProbe(name, options) }))
  return async () => {
    const outcomes = await Promise.all(probes.map(async ({ name, probe }) => [name, await probe()] as const))
    return Object.fromEntries(outcomes)
  }
}

/** Those who ask at the same time share one run: however many ask, a store that hangs gets one check per time-out. */
function createProbe(
  name: string,
  { checks, log, timeoutMs = 1000 }: ReadinessOptions,
): () => Promise<CheckOutcome> {
  let underway: Promise<void> | undefined
  let last: CheckOutcome = 'ok'
  return async () => {
    underway ??= run(checks[name])
    const mine = underway
    const error = await failureWithin(mine, timeoutMs)
    // One that hangs is given up: its connection may be dead while the next one is fine.
    if (underway === mine) underway = undefined
    const outcome = error === undefined ? 'ok' : 'failed'
    // Only the change is news: a probe calls every few seconds, and anyone may call it.
    if (outcome !== last) {
      if (outcome === 'failed') log.warn({ check: name, err: error }, 'not ready')
      else log.info({ check: name }, 'ready again')
    }
    last = outcome
    return outcome
  }
}

async function run(check: (() => Promise<void>) | undefined): Promise<void> {
  await check?.()
}

async function failureWithin(check: Promise<void>, timeoutMs: number): Promise<Failure | undefined> {
  const timer = new AbortController()
  const late = delay(timeoutMs, 'late' as const, { signal: timer.signal })
  try {
    const first = await Promise.race([check, late])
    return first === 'late' ? new Failure('timeout', `no answer within ${timeoutMs} ms`) : undefined
  } catch (cause) {
    return new Failure('unavailable', 'the check failed', { cause })
  } finally {
    timer.abort()
  }
}
