import { mostValues } from '../config/most-values.ts'

export interface JsonBounds {
  readonly levels: number
  readonly values: number
}

/**
 * What makes a text too much to parse, seen over the text alone; whether it is JSON is left to the parser. Values are told
 * by what opens an object or a list and by what separates two of them.
 */
export function excessOf(text: string, { levels, values }: JsonBounds): keyof JsonBounds | undefined {
  const { length } = text
  let depth = 0
  let left = values
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index)
    // White space, and digits and letters: most of what is outside strings.
    if (code < quote || (code > comma && code < openBracket)) continue
    if (code === quote) index = endOfString(text, index)
    else if (code === comma) left -= 1
    else if (code === openBrace || code === openBracket) {
      left -= 1
      depth += 1
      if (depth > levels) return 'levels'
    } else if (code === closeBrace || code === closeBracket) depth -= 1
    if (left < 0) return 'values'
  }
  return undefined
}

/** For those who have a parser of their own for depth. A text of fewer characters cannot have as many values. */
export function hasTooManyValues(text: string): boolean {
  return text.length > mostValues && excessOf(text, { levels: Infinity, values: mostValues }) !== undefined
}

/** Texts mostly have no escapes near their end, and then this costs nothing for each of their characters. */
function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1)
  if (end === -1) return text.length
  return text.charCodeAt(end - 1) === backslash ? walkToEnd(text, start + 1) : end
}

function walkToEnd(text: string, start: number): number {
  let index = start
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === quote) return index
    index += code === backslash ? 2 : 1
  }
  return index
}

const quote = 34
const comma = 44
const openBracket = 91
const backslash = 92
const closeBracket = 93
const openBrace = 123
const closeBrace = 125
