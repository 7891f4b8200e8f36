import { beginning, ending, type Vocabulary } from './vocabulary.ts'

/** What each token can be in a JSON text, worked out once: a pick asks it of every token. */
export interface TokenRoles {
  /** Could stand after a value. */
  readonly isEnd: Uint8Array
  /** Ends a string: a quote with whatever after it, or the end of all text. */
  readonly isQuote: Uint8Array
  /** May stand in a string as it is: its length in characters; 0 for those that may not. */
  readonly inString: Uint8Array
  /** A word after a space. */
  readonly isSpaced: Uint8Array
  /** 10 for those that are no digit. */
  readonly digit: Uint8Array
  readonly texts: readonly string[]
  readonly point: number
  readonly comma: number
  readonly bracket: number
}

export function tokenRoles({ size, texts, idOf }: Vocabulary): TokenRoles {
  const flags = (test: (text: string, id: number) => boolean): Uint8Array =>
    Uint8Array.from({ length: size }, (_, id) => (test(texts[id] ?? '', id) ? 1 : 0))
  const isOver = (id: number): boolean => id === beginning || id === ending
  return {
    isEnd: flags((text, id) => isOver(id) || /^ ?[,}\]]/.test(text)),
    isQuote: flags((text, id) => isOver(id) || text.startsWith('"')),
    inString: Uint8Array.from({ length: size }, (_, id) => lengthInString(texts[id] ?? '')),
    isSpaced: flags((text) => /^ \p{L}/u.test(text)),
    digit: Uint8Array.from({ length: size }, (_, id) =>
      /^\d$/.test(texts[id] ?? '') ? Number(texts[id]) : 10,
    ),
    texts,
    point: idOf.get('.') ?? -1,
    comma: idOf.get(',') ?? -1,
    bracket: idOf.get(']') ?? -1,
  }
}

/** Quotes, backslashes and control characters would need an escape. */
function lengthInString(text: string): number {
  return /["\\\p{Cc}\u2028\u2029\ufffd]/u.test(text) ? 0 : Array.from(text).length
}
