type Rows = readonly (readonly string[])[]

/** How wide each column may be so that a row fits on the screen; without one, as wide as it is. */
export function fittingWidths(
  widths: readonly number[],
  isLong: readonly boolean[],
  columns: number,
): number[] {
  const fitting = [...widths]
  const gaps = 2 * (widths.length - 1)
  let excess = fitting.reduce((sum, width) => sum + width, gaps) - columns
  for (const { from, floor } of steps)
    while (excess > 0) {
      const candidates = fitting.map((width, index) => (isLong[index] === true && index >= from ? width : 0))
      const widest = Math.max(...candidates)
      if (widest <= floor) break
      const cut = Math.min(excess, Math.max(1, widest - Math.max(floor, secondOf(candidates, widest))))
      fitting[candidates.indexOf(widest)] = widest - cut
      excess -= cut
    }
  return fitting
}

/** The first column holds what other commands are told, so it stays whole while the others can give way. */
const steps = [
  { from: 1, floor: 12 },
  { from: 0, floor: 12 },
  { from: 0, floor: 5 },
] as const

function secondOf(candidates: readonly number[], widest: number): number {
  return Math.max(0, ...candidates.toSpliced(candidates.indexOf(widest), 1))
}

/** Which columns hold ids, names and lists of words: half of a time or of a number says nothing. */
export function longColumns(rows: Rows, count: number): boolean[] {
  const isLong = (cell = ''): boolean => cell.length > shortWord && !/^\d{4}-\d\d-\d\d/.test(cell)
  return Array.from({ length: count }, (_, index) => rows.some((row) => isLong(row[index])))
}

const shortWord = 9

/** Both ends of an id tell more than its beginning alone. */
export function shortened(cell: string, width: number): string {
  if (cell.length <= width) return cell
  const head = Math.ceil((width - 1) / 2)
  return `${cell.slice(0, head)}…${cell.slice(cell.length - (width - 1 - head))}`
}
