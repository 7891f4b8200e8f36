import { createStyle } from './style.ts'

/** Columns under their headings; the last one is not padded. */
export function formatTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: { readonly hasColor: boolean },
): string {
  const { dim } = createStyle(terminal)
  const shown = rows.map((row) => row.map(printable))
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...shown.map((row) => row[index]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return [dim(line(headings)), ...shown.map(line), ''].join('\n')
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
