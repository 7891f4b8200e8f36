/** A word as the model reads it, and into how many pieces it falls. */
export interface Word {
  readonly text: string
  readonly pieces: number
}

export type WordReader = (text: string) => readonly Word[]

/** Longer words are one unknown piece. */
const longestWord = 100
const marks = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/

/** BERT's WordPiece, as far as it is needed to count: lower case, no accents, punctuation and ideographs apart. */
export function createWordReader(vocabulary: ReadonlySet<string>): WordReader {
  const read = (text: string): Word => ({ text, pieces: countPieces(text, vocabulary) })
  return (text) =>
    text
      .split(marks)
      .flatMap((part) => (marks.test(part) ? [{ text: part, pieces: 1 }] : wordsOf(part).map(read)))
}

function wordsOf(text: string): readonly string[] {
  const plain = text
    .replaceAll(/[\t\n\r\p{Zs}]/gu, ' ')
    .replaceAll(/[\0\ufffd\p{C}]/gu, '')
    .replaceAll(
      /[\p{P}$+<=>^`|~]|[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u{20000}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu,
      ' $& ',
    )
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase()
  return plain.split(' ').filter((word) => word !== '')
}

/** The longest known piece first, again and again; a word that does not come out even is unknown. */
function countPieces(word: string, vocabulary: ReadonlySet<string>): number {
  const characters = Array.from(word)
  if (characters.length > longestWord) return 1
  let pieces = 0
  for (let from = 0; from < characters.length; pieces += 1) {
    let to = characters.length
    const piece = (): string => (from === 0 ? '' : '##') + characters.slice(from, to).join('')
    while (to > from && !vocabulary.has(piece())) to -= 1
    if (to === from) return 1
    from = to
  }
  return pieces
}
