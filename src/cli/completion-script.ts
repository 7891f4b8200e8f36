import type { Place, Value } from './completion-places.ts'

export type Row = readonly [pattern: string, lines: readonly string[]]

/** A function that answers its first argument with lines. */
export function lookup(name: string, rows: readonly Row[]): string {
  const cases = rows
    .filter(([, lines]) => lines.length > 0)
    .map(([pattern, lines]) => `    (${quoted(pattern)}) printf '%s\\n' ${lines.map(quoted).join(' ')} ;;`)
  return [`${name}() {`, '  case "$1" in', ...cases, '  esac', '}'].join('\n')
}

/** What the value of an option may be, by place and option, and what a further word of a command may be. */
export function valueRows(places: readonly Place[]): readonly Row[] {
  return places.flatMap(({ path, options, argument }): readonly Row[] => [
    ...options.flatMap(({ text, value }): readonly Row[] =>
      value === undefined ? [] : [[`${path} ${text}`, valueLines(value)]],
    ),
    ...(argument === undefined ? [] : [[`${path} ...`, valueLines(argument)] as const]),
  ])
}

/** No word begins with a colon. */
function valueLines(value: Value): readonly string[] {
  return typeof value === 'string' ? [`:${value}`] : value
}

/** Within single quotes of bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
