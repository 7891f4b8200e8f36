/** A piece of source text; comments and white space are gone. A string's text is what stands between its quotes. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'punctuation'
  readonly text: string
  readonly line: number
}

/** Source that cannot be read must not pass as source without imports. */
export class UnreadableSource extends Error {
  override readonly name = 'UnreadableSource'
  readonly line: number

  constructor(what: string, line: number) {
    super(what)
    this.line = line
  }
}

/** The tokens of TypeScript. In `.tsx` the text between tags is read as if it were code, so an apostrophe there ends with its line. */
export function tokensOf(source: string, isTsx = false): readonly Token[] {
  const scanner: Scanner = { source, isTsx, at: 0, line: 1, tokens: [], openBraces: [] }
  while (scanner.at < source.length) step(scanner)
  if (scanner.openBraces.length > 0) throw new UnreadableSource('a template literal has no end', scanner.line)
  return scanner.tokens
}

interface Scanner {
  readonly source: string
  readonly isTsx: boolean
  at: number
  line: number
  readonly tokens: Token[]
  /** For each template substitution we are in, how many braces are open inside it. */
  readonly openBraces: number[]
}

// One pattern for each kind of token, tried where the scanner stands (`y`); `s` lets a dot match a line end.
const blank = /\s+/y
const comment = /\/\/[^\n]*|\/\*.*?\*\/|(?<!.)#![^\n]*/sy
const word = /[#@]?[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy
const number = /\.?\d(?:[\w.]|(?<=[eE])[+-])*/y
const quoted = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/sy
const quotedToLineEnd = /['"][^\n]*/y
const regex = /\/(?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+\/\w*/y
const templatePart = /(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)/sy
const punctuation = /\.\.\.|\+\+|--|./suy

const wordsBeforeRegex = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield'.split(' '),
)
const marksBeforeDivision = new Set([')', ']', '}', '++', '--', '<'])

function step(scanner: Scanner): void {
  if (take(scanner, blank) !== null || take(scanner, comment) !== null) return
  const start = scanner.source[scanner.at] ?? ''
  const isSubstitutionEnd = start === '}' && scanner.openBraces.at(-1) === 0
  if (isSubstitutionEnd) scanner.openBraces.pop()
  if (isSubstitutionEnd || start === '`') template(scanner)
  else if (start === "'" || start === '"') string(scanner)
  else if (scanner.source.startsWith('/*', scanner.at)) add(scanner, 'comment', null)
  else if (start === '/' && mayStartRegex(scanner.tokens.at(-1))) add(scanner, 'regex', take(scanner, regex))
  else plain(scanner, start)
}

function plain(scanner: Scanner, start: string): void {
  const name = take(scanner, word)
  const digits = name === null ? take(scanner, number) : null
  if (name !== null) add(scanner, 'word', name)
  else if (digits !== null) add(scanner, 'number', digits)
  else {
    countBrace(scanner, start)
    add(scanner, 'punctuation', take(scanner, punctuation))
  }
}

/** Moves past what the pattern finds here, or finds nothing. */
function take(scanner: Scanner, pattern: RegExp): string | null {
  pattern.lastIndex = scanner.at
  const text = pattern.exec(scanner.source)?.[0]
  if (text === undefined) return null
  scanner.at += text.length
  scanner.line += text.split('\n').length - 1
  return text
}

function add(scanner: Scanner, kind: Token['kind'] | 'comment', text: string | null): void {
  if (text === null || kind === 'comment') throw new UnreadableSource(`a ${kind} has no end`, scanner.line)
  scanner.tokens.push({ kind, text, line: scanner.line - (text.split('\n').length - 1) })
}

function string(scanner: Scanner): void {
  const text = take(scanner, quoted) ?? (scanner.isTsx ? take(scanner, quotedToLineEnd) : null)
  add(scanner, 'string', text?.slice(1, -1) ?? null)
}

/** From a back-tick, or from the brace that ends a substitution, to the next substitution or the end. */
function template(scanner: Scanner): void {
  scanner.at += 1
  const text = take(scanner, templatePart)
  if (text?.endsWith('{') === true) scanner.openBraces.push(0)
  add(scanner, 'template', text?.replace(/(?:`|\$\{)$/, '') ?? null)
}

function mayStartRegex(last: Token | undefined): boolean {
  if (last === undefined) return true
  if (last.kind === 'word') return wordsBeforeRegex.has(last.text)
  return last.kind === 'punctuation' && !marksBeforeDivision.has(last.text)
}

function countBrace({ openBraces }: Scanner, text: string): void {
  const depth = openBraces.pop()
  if (depth !== undefined) openBraces.push(depth + (text === '{' ? 1 : text === '}' ? -1 : 0))
}
