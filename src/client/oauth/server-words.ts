/** A server's own words, made fit to be shown on one line of a terminal. */
export function printable(words: string): string {
  return words.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 500)
}

/** A code such as `invalid_grant`; nothing where it is no such word. */
export function codeWord(text: unknown): string | undefined {
  return typeof text === 'string' && /^[\w.:-]{1,100}$/.test(text) ? text : undefined
}
