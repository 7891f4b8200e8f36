import { type Token, tokensOf } from './architecture/tokens.ts'

/** Stands in a title for what a template literal computes. */
export const computed = '…'

/** The titles of the tests in a file, as far as they are written there and not computed as a whole. */
export function titlesOf(source: string): ReadonlySet<string> {
  const tokens = tokensOf(source)
  return new Set(tokens.flatMap((_, index) => (startsTest(tokens, index) ? titleAt(tokens, index + 2) : [])))
}

/** `test(` and `t.test(`; not `/pattern/.test(`, and not `test.skip(`. */
function startsTest(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]?.text !== 'test' || tokens[index]?.kind !== 'word') return false
  const isMethod = tokens[index - 1]?.text === '.'
  return tokens[index + 1]?.text === '(' && (!isMethod || tokens[index - 2]?.text === 't')
}

function titleAt(tokens: readonly Token[], start: number): readonly string[] {
  const argument = argumentAt(tokens, start)
  if (isSkipped(argumentAt(tokens, start + argument.length + 1))) return []
  const [first, second] = argument
  if (first?.kind === 'string') return second === undefined ? [unescaped(first.text)] : []
  if (first?.kind !== 'template') return []
  const parts = argument.filter(({ kind, depth }) => kind === 'template' && depth === 0)
  return [parts.map(({ text }) => unescaped(text)).join(computed)]
}

/** All tokens up to the comma or bracket that ends the argument, each with the brackets open around it. */
function argumentAt(tokens: readonly Token[], start: number): readonly (Token & { depth: number })[] {
  const argument: (Token & { depth: number })[] = []
  let depth = 0
  for (const token of tokens.slice(start)) {
    const mark = token.kind === 'punctuation' ? token.text : ''
    if (depth === 0 && /^[,)]$/.test(mark)) break
    if (/^[)\]}]$/.test(mark)) depth -= 1
    argument.push({ ...token, depth })
    if (/^[([{]$/.test(mark)) depth += 1
  }
  return argument
}

/** A test that does not run proves nothing. */
function isSkipped(options: readonly Token[]): boolean {
  return options[0]?.text === '{' && options.some(({ text }) => text === 'skip' || text === 'todo')
}

function unescaped(text: string): string {
  return text.replaceAll(/\\u([\da-f]{4})|\\(.)/gi, (_, code?: string, mark?: string) =>
    code === undefined ? (mark ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
