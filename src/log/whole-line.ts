/** The cleaned line, unless a replacement broke its JSON (a secret of digits inside a number): then a line that says so. */
export function wholeLine(original: string, cleaned: string): string {
  if (cleaned === original || isJson(cleaned)) return cleaned
  const head = /^\{"level":"[a-z]+","time":"[0-9TZ:.-]+"/.exec(original)?.[0] ?? '{"level":"error"'
  return `${head},"msg":"[a line was left out: a secret stood where it could not be replaced]"}\n`
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
