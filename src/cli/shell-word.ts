import { oneLine } from './terminal-text.ts'

/** A word to be pasted into a shell, where it stays one word. */
export function shellWord(word: string): string {
  const line = oneLine(word)
  return /^[\w:/.@%+,=-]+$/.test(line) ? line : `'${line.replaceAll("'", "'\\''")}'`
}
