/** The pieces that a text is cut into; every id stands for some bytes. */
export interface Vocabulary {
  readonly size: number
  readonly bytes: readonly Uint8Array[]
  readonly texts: readonly string[]
  /** The id of a piece that text may be merged into; bytes and marks are not among them. */
  readonly idOf: ReadonlyMap<string, number>
  readonly scores: Float32Array
}

/** Begins a text and stands between two; the model says "the end" with it. */
export const beginning = 1
export const ending = 2
export const firstByte = 3
const firstPiece = firstByte + 256

/** After four bytes: per piece a float score, an int length and the bytes. */
export function readVocabulary(data: Uint8Array, size: number): Vocabulary {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const scores = new Float32Array(size)
  const bytes: Uint8Array[] = []
  const texts: string[] = []
  const idOf = new Map<string, number>()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let offset = 4
  for (let id = 0; id < size; id += 1) {
    scores[id] = view.getFloat32(offset, true)
    const end = offset + 8 + view.getInt32(offset + 4, true)
    const raw = data.subarray(offset + 8, end)
    offset = end
    const text = id < firstPiece ? '' : decoder.decode(raw)
    bytes.push(id < firstPiece ? markBytes(id) : raw)
    texts.push(text)
    if (id >= firstPiece && !idOf.has(text)) idOf.set(text, id)
  }
  return { size, bytes, texts, idOf, scores }
}

/** The file spells a byte as the character of that number; marks have no text of their own. */
function markBytes(id: number): Uint8Array {
  return id < firstByte ? new Uint8Array(0) : Uint8Array.of(id - firstByte)
}
