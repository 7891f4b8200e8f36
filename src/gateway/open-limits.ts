import type { Config } from '../config/config-schema.ts'
import { createLimiter, type Limiter } from '../limits/limiter.ts'
import { memoryCounters } from '../limits/memory-counters.ts'
import type { Log } from '../log/log.ts'

/** Counted for all instances together where `shared` is set, and by this process alone otherwise. */
export async function openLimits(
  { limits, shared }: Pick<Config, 'limits' | 'shared'>,
  log: Log,
): Promise<Limiter> {
  if (shared === undefined)
    return createLimiter({ settings: limits, counters: memoryCounters(() => performance.now()) })
  // The client of Redis is large; who counts in memory does not load it.
  const { openSharedCounters } = await import('../limits/redis-counters.ts')
  const { whenSharedFails } = limits
  const counters = await openSharedCounters({ url: shared, log, whenSharedFails })
  return createLimiter({ settings: limits, counters })
}
