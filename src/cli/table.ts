import { createStyle } from './style.ts'

interface Terminal {
  readonly hasColor: boolean
}

type Rows = readonly (readonly string[])[]

/** Columns under their headings; the last one is not padded. */
export function formatTable(headings: readonly string[], rows: Rows, terminal: Terminal): string {
  return growingTable(headings, terminal)(rows)
}

/** A table that comes in parts: the headings stand above the first, and columns only ever grow wider. */
export function growingTable(headings: readonly string[], terminal: Terminal): (rows: Rows) => string {
  const { dim } = createStyle(terminal)
  let widths = headings.map(({ length }) => length)
  let isFirst = true
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return (rows) => {
    const shown = rows.map((row) => row.map(printable))
    widths = widths.map((width, index) => Math.max(width, ...shown.map((row) => row[index]?.length ?? 0)))
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
