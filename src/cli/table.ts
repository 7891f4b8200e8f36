import type { Io } from './io.ts'
import { createStyle } from './style.ts'
import { fittingWidths, longColumns, shortened } from './table-width.ts'

type Terminal = Pick<Io, 'hasColor'>

type Rows = readonly (readonly string[])[]

/** Columns under their headings, each cell whole; the last column is not padded. */
export function formatTable(headings: readonly string[], rows: Rows, { hasColor }: Terminal): string {
  return growingTable(headings, { hasColor })(rows)
}

/**
 * A table that comes in parts: the headings stand above the first, and columns only ever grow wider. On a screen, long
 * cells lose their middle where a row would not fit.
 */
export function growingTable(
  headings: readonly string[],
  terminal: Terminal & Partial<Pick<Io, 'screen'>>,
): (rows: Rows) => string {
  const { dim } = createStyle(terminal)
  let widths = headings.map(({ length }) => length)
  let isLong = headings.map(() => false)
  let isFirst = true
  return (rows) => {
    const shown = rows.map((row) => row.map(printable))
    const found = longColumns(shown, headings.length)
    isLong = isLong.map((long, index) => long || found[index] === true)
    widths = widths.map((width, index) => Math.max(width, ...shown.map((row) => row[index]?.length ?? 0)))
    const { columns } = terminal.screen?.() ?? {}
    const fitting = columns === undefined ? widths : fittingWidths(widths, isLong, columns)
    const line = (cells: readonly string[]): string =>
      cells
        .map((cell, index) => shortened(cell, fitting[index] ?? cell.length).padEnd(fitting[index] ?? 0))
        .join('  ')
        .trimEnd()
    const top = isFirst ? [dim(line(headings))] : []
    isFirst = false
    return [...top, ...shown.map(line), ''].join('\n')
  }
}

/** To the minute, in UTC; the store counts microseconds. */
export function formatTime(microseconds: number): string {
  return `${isoTime(microseconds).slice(0, 16).replace('T', ' ')}Z`
}

/** To the millisecond, for machines. */
export function isoTime(microseconds: number): string {
  return new Date(microseconds / 1000).toISOString()
}

/** A name from elsewhere must not move the cursor or colour the terminal. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\u{fffd}')
}
