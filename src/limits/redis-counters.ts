import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { createRareWarning } from '../log/rare-warning.ts'
import { chargeScript, chargeScriptHash } from './charge-script.ts'
import type { Charge, Counters, Overrun } from './counters.ts'
import { openRedisLink } from './redis-link.ts'

export interface SharedCountersOptions {
  /** `redis://`, `rediss://` or `valkey://`; it may hold a password and is never logged. */
  readonly url: string
  readonly log: Log
  /** What the log says of the calls that could not be counted. */
  readonly whenSharedFails: 'allow' | 'refuse'
}

/** Counters of all instances together, kept by Redis or Valkey under its own clock. Opened even when it cannot be reached. */
export async function openSharedCounters(options: SharedCountersOptions): Promise<Counters> {
  const { url, log, whenSharedFails } = options
  const now = (): number => performance.now()
  const warn = createRareWarning(log, now)
  let isLost = false

  function complain(cause: unknown): Failure {
    const failure = new Failure('unavailable', 'the shared counters of limits do not answer', { cause })
    warn(`limits cannot be counted: ${consequences[whenSharedFails]} until Redis is back`, failure)
    return failure
  }

  const link = await openRedisLink({
    url,
    now,
    onLost: (cause) => {
      isLost = true
      complain(cause)
    },
    onReady: () => {
      if (isLost) log.info('limits are counted again: Redis is back')
      isLost = false
    },
  })

  async function charge(charges: readonly Charge[]): Promise<Overrun | undefined> {
    const command = [String(charges.length), ...charges.map(({ key }) => key), ...charges.flatMap(amounts)]
    try {
      return overrunOf(await run(command))
    } catch (cause) {
      throw complain(cause)
    }
  }

  /** A server that was restarted has forgotten the script. */
  async function run(command: readonly string[]): Promise<unknown> {
    try {
      return await link.send(['EVALSHA', chargeScriptHash, ...command])
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      return link.send(['EVAL', chargeScript, ...command])
    }
  }

  return { charge, close: link.close }
}

const consequences = {
  allow: 'calls are let through uncounted',
  refuse: 'calls are refused',
} as const

function amounts({ limit, amount, windowMs }: Charge): readonly string[] {
  return [String(limit), String(amount), String(windowMs)]
}

function overrunOf(reply: unknown): Overrun | undefined {
  const [over, remainingMs]: readonly unknown[] = Array.isArray(reply) ? reply : []
  if (typeof over !== 'number' || typeof remainingMs !== 'number')
    throw new Error('Redis gave a reply that the script does not give')
  return over === 0 ? undefined : { index: over - 1, remainingMs }
}
