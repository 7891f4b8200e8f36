/** Postgres has no text with a zero character in it, so nothing can be found under one. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000')
}
