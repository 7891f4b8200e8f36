/** One line of a result; with `atMost` or `atLeast` it is a promise that can be missed. */
export interface Finding {
  readonly group: string
  readonly what: string
  readonly value: number
  readonly unit: 'ms' | 'µs' | '×' | 'rows' | 'calls/s' | 'MB'
  readonly atMost?: number
  readonly atLeast?: number
}

export function isMissed({ value, atMost = Infinity, atLeast = -Infinity }: Finding): boolean {
  return !(value <= atMost && value >= atLeast)
}

/** A Markdown table, which is readable in a terminal too. */
export function renderFindings(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => [finding.group, finding.what, shown(finding), promise(finding)])
  const table = [['', 'what', 'measured', 'promised'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const [head = [], ...body] = table
  return [line(head), rule, ...body.map(line)].join('\n')
}

function shown({ value, unit }: Finding): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return `${value.toFixed(unit === '×' ? Math.max(digits - 1, 2) : digits)} ${unit}`
}

function promise(finding: Finding): string {
  const { atMost, atLeast, unit } = finding
  const bound =
    atMost === undefined ? (atLeast === undefined ? '' : `≥ ${atLeast} ${unit}`) : `≤ ${atMost} ${unit}`
  if (bound === '') return ''
  return `${bound} ${isMissed(finding) ? 'MISSED' : 'kept'}`
}
