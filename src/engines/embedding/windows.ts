import type { Word } from './words.ts'

export interface Window {
  readonly text: string
  readonly pieces: number
}

/** What the model reads at once, besides the two marks around it. */
export const piecesPerWindow = 254

/** Cuts a long text between words; words that a space joins again fall into the same pieces. */
export function windowsOf(words: readonly Word[]): readonly Window[] {
  const windows: { words: string[]; pieces: number }[] = []
  for (const { text, pieces } of words) {
    const last = windows.at(-1)
    if (last === undefined || last.pieces + pieces > piecesPerWindow) windows.push({ words: [text], pieces })
    else {
      last.words.push(text)
      last.pieces += pieces
    }
  }
  return windows.map((window) => ({ text: window.words.join(' '), pieces: window.pieces }))
}
