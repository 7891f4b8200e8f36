/** Something wrong in the file: where, under which key, and in words. */
export interface Problem {
  readonly offset: number
  /** `server.port`, `issuers[0].issuer`, `aliases["gemini-*"]`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

/** The path of a key below another. */
export function keyPath(parent: string, key: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`
  return parent === '' ? key : `${parent}.${key}`
}

/** As much of a key as may be shown: a value that ran into it, as in `apiKey:x`, may be a secret. */
export function shownKey(name: string): { readonly start: string; readonly rest: '' | '…' } {
  const start = name.replace(/[:=\s].*$/s, '')
  return { start, rest: start === name ? '' : '…' }
}

/** Each problem once, in the order of the file. */
export function inFileOrder(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [`${problem.offset} ${problem.message}`, problem]))
  return [...unique.values()].sort((a, b) => a.offset - b.offset)
}
