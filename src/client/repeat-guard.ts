const exactPages = 1024

/**
 * Tells whether a cursor came before. Memory is bounded: the latest 1,024 cursors are remembered exactly, so a shorter
 * loop is seen at its first repeat; a longer one is seen by Brent's method, within a few rounds.
 */
export function repeatGuard(start: string | null): (cursor: string) => boolean {
  const recent = new Set<string>(start === null ? [] : [start])
  let mark = start
  let stepsSinceMark = 0
  let stepsToNextMark = 1
  return (cursor) => {
    if (recent.has(cursor) || cursor === mark) return true
    stepsSinceMark += 1
    if (stepsSinceMark === stepsToNextMark) {
      mark = cursor
      stepsSinceMark = 0
      stepsToNextMark *= 2
    }
    recent.add(cursor)
    if (recent.size > exactPages) forgetOldest(recent)
    return false
  }
}

function forgetOldest(recent: Set<string>): void {
  const [oldest] = recent
  if (oldest !== undefined) recent.delete(oldest)
}
