import { type EmbeddingEvent, mostPieces } from './messages.ts'
import type { EmbeddingModel } from './model.ts'
import { meanVector } from './vector.ts'
import { windowsOf } from './windows.ts'

const marksPerWindow = 2

/** Embeds a text window by window; the vector of a long one is the mean of its windows. */
export async function embedText(
  { embedder, readWords }: EmbeddingModel,
  text: string,
  isStopped: () => boolean,
): Promise<EmbeddingEvent> {
  const windows = windowsOf(readWords(text))
  const pieces = windows.reduce((sum, window) => sum + window.pieces, 0)
  if (pieces === 0) return { kind: 'refused', problem: 'must have text that can be read' }
  if (pieces > mostPieces)
    return { kind: 'refused', problem: `must be at most ${mostPieces} tokens, not ${pieces}` }
  const parts: { values: readonly number[]; weight: number }[] = []
  for (const window of windows) {
    if (isStopped()) break
    const [values = []] = await embedder.embed([windows.length === 1 ? text : window.text])
    parts.push({ values, weight: window.pieces / pieces })
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { kind: 'embedded', values: meanVector(parts), tokens: pieces + marksPerWindow * windows.length }
}
