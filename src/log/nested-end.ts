/** Where the list or mapping that opens at `start` ends, in a text inside a JSON string; at the latest, where that string does. */
export function nestedEnd(line: string, start: number): number {
  let depth = 0
  let backslashes = 0
  let inside: Quotes | undefined
  for (let index = start; index < line.length; index += 1) {
    const character = line.charAt(index)
    if (character === '\\') {
      backslashes += 1
      continue
    }
    if (character === '"' && backslashes % 2 === 0) return index
    if (inside !== undefined) {
      if (closes(inside, character, backslashes)) inside = undefined
    } else if (character === '"' || character === "'") inside = { character, backslashes }
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth === 0) return index + 1
    backslashes = 0
  }
  return line.length
}

interface Quotes {
  readonly character: string
  readonly backslashes: number
}

/** Each JSON around a text doubles its backslashes and adds one before a quote; more of them are part of the content. */
function closes(opening: Quotes, character: string, backslashes: number): boolean {
  const unit = opening.character === '"' ? 2 * (opening.backslashes + 1) : 4
  return character === opening.character && backslashes % unit === opening.backslashes % unit
}
