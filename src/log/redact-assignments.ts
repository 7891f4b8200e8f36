import { nestedEnd } from './nested-end.ts'
import { type SecretWord, secretWords } from './secret-words.ts'

const redacted = '[redacted]'

/** Where a word can start: `\n` and `%3D` end in letters, but end a word before them. */
export const wordStart: string = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2}))`

/** Replaces what a text in a line of JSON gives a secret's name to: `password: x`, `{"token":["x"]}`, `--key x`. */
export function redactAssignments(line: string): string {
  if (!hint.test(line)) return line
  return redactNested(line).replace(single, `$1${redacted}`).replace(told, `$1${redacted}`)
}

/** A text without it holds no assignment, and it is found much faster than the patterns. */
const hint = new RegExp(
  String.raw`(?:${shortest(secretWords.map(lastPart)).join('|')})[\w-]{0,16}(?:\\|'|\s{0,4}[:=]|\s{1,4}(?:is|was)\s)|--\w`,
  'i',
)

function lastPart({ words }: SecretWord): string {
  return words.slice(words.lastIndexOf(' ') + 1)
}

function shortest(words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => !words.some((other) => other !== word && word.includes(other)))
}

const telling = alternatives(secretWords.filter(({ inText }) => inText === 'telling'))
const all = alternatives(secretWords)

function alternatives(words: readonly SecretWord[]): string {
  return words.map(pattern).join('|')
}

/** A space joins only whole words: "invalid token" is no "id token". */
function pattern({ words, inName }: SecretWord): string {
  const joined = words.replaceAll(' ', '[_-]?')
  if (inName === 'whole') return `${wordStart}${words.replaceAll(' ', '[ _-]?')}`
  return words.includes(' ') ? `${joined}|${wordStart}${words}` : joined
}

/** Inside a text quotes are escaped, once for each JSON it was put into. */
const quote = String.raw`(?:\\{1,15}"|')`
const colon = String.raw`\s{0,4}:\s{0,4}`

const assigned = [
  String.raw`(?:${telling}|\w[_-]token)${quote}?\s{0,4}[:=]>?\s{0,4}`,
  String.raw`(?:${all})(?:s|[_-]?values?)?(?:=|${quote}${colon}|${colon}(?=(?:[[{]\s{0,4}){0,4}${quote}))`,
  String.raw`--(?:[\w-]{0,32}?)(?:${all})\s{1,4}`,
].join('|')

const inQuotes = String.raw`(?<=\\")(?:[^"\\]|\\\\(?:\\["\\]|[^"\\]))+|(?<=')[^'"\\]+`
const bare = String.raw`[^\s"'\\,;&}]+`
const single = new RegExp(`((?:${assigned})${quote}?)(?:${inQuotes}|${bare})`, 'gi')

/** "The secret was x", but not "the secret was refused" or "is 32 characters long". */
const prose = String.raw`(?-i:[a-z][a-z'-]*|\d{1,3})[.,;:!?)]{0,3}(?=[\s"\\]|$)`
const told = new RegExp(
  String.raw`((?:${telling})\s{1,4}(?:is|was)\s{1,4}(?!${prose})${quote}?)(?:${inQuotes}|${bare})`,
  'gi',
)

const opening = new RegExp(`(?:${assigned})(?=[[{])`, 'gi')

function redactNested(line: string): string {
  const parts: string[] = []
  let done = 0
  for (const { index, 0: name } of line.matchAll(opening)) {
    const start = index + name.length
    if (start < done) continue
    parts.push(line.slice(done, start), redacted)
    done = nestedEnd(line, start)
  }
  return parts.join('') + line.slice(done)
}
