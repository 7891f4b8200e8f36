/**
 * A body may take a minute to come, and a credential can be revoked meanwhile: who was let in longer ago than this is looked
 * at again when the body is there. Both are of the monotonic clock, in milliseconds.
 */
export function needsSecondLook(admittedAt: number, now: number): boolean {
  return now - admittedAt > reliedOnMs
}

const reliedOnMs = 500
