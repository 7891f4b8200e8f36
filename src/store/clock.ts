/** Microseconds since 1970, UTC: exact as a JS number until the year 2255. */
export type Clock = () => number

export interface TimeSources {
  /** Milliseconds since 1970; it may step. */
  readonly wall: () => number
  /** Milliseconds with fractions since any moment; it never steps, but stands still while the machine sleeps. */
  readonly elapsed: () => number
}

/** A clock that never repeats a value and never steps back, and that follows the wall clock when that steps forward. */
export function microsecondClock(time: TimeSources = systemTime): Clock {
  let origin = time.wall() - time.elapsed()
  let last = 0
  return () => {
    const wall = time.wall()
    const elapsed = time.elapsed()
    if (Math.abs(origin + elapsed - wall) > driftAllowed) origin = wall - elapsed
    last = Math.max(last + 1, Math.floor((origin + elapsed) * 1000))
    return last
  }
}

/** For what is to be over, or still to come, for everybody else too; it may step, and it repeats values. */
export const wallClock: Clock = () => Date.now() * 1000

const systemTime: TimeSources = { wall: () => Date.now(), elapsed: () => performance.now() }

/** Milliseconds; `wall` counts whole milliseconds, so anything below two says nothing. */
const driftAllowed = 10
