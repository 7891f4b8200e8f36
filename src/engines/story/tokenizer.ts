import { mergePieces } from './merge.ts'
import { beginning, type Vocabulary } from './vocabulary.ts'

export interface Tokenizer {
  /** The ids of a whole text, with the mark that begins it. */
  readonly encode: (text: string) => readonly number[]
  /** The ids of a text that goes on from another. */
  readonly encodeMore: (text: string) => readonly number[]
  /** How many ids `encode` gives, found in steps of at most `characters`, so that a long text blocks nobody. */
  readonly count: (text: string, characters: number) => Generator<undefined, number>
  /** The text of the ids, without the space that `encode` puts first. */
  readonly decode: (ids: readonly number[]) => string
}

/** A longer run without a space is cut here, which keeps a hostile one from costing seconds. */
const longestRun = 4096

export function createTokenizer(vocabulary: Vocabulary): Tokenizer {
  const merge = (text: string): readonly number[] => mergePieces(text, vocabulary)
  return {
    encode: (text) => [beginning, ...(text === '' ? [] : [...runsOf(` ${text}`)].flatMap(merge))],
    encodeMore: (text) => [...runsOf(text)].flatMap(merge),
    decode: (ids) => {
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
      const text = ids.map((id) => decoder.decode(vocabulary.bytes[id], { stream: true })).join('')
      return (text + decoder.decode()).replace(/^ /, '')
    },
    *count(text, characters) {
      let total = 1
      let seen = 0
      for (const run of text === '' ? [] : runsOf(` ${text}`)) {
        total += merge(run).length
        seen += run.length
        if (seen < characters) continue
        seen = 0
        yield
      }
      return total
    },
  }
}

/** No piece crosses from a character to a space or over a line break, so the parts between can be merged apart. */
function* runsOf(text: string): Generator<string> {
  for (const [run] of text.matchAll(/\n| *[^ \n]+| +/g)) {
    for (let from = 0; from < run.length; ) {
      const to = cutAt(run, from + longestRun)
      yield run.slice(from, to)
      from = to
    }
  }
}

/** Never between the two halves of a character. */
function cutAt(run: string, end: number): number {
  const isHalf = end < run.length && /[\udc00-\udfff]/.test(run.charAt(end))
  return isHalf ? end - 1 : end
}
