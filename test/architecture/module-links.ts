import { type Token, tokensOf } from './tokens.ts'

/** One place where a file names another module. */
export interface ModuleLink {
  readonly line: number
  /** Null where it is computed and cannot be known. */
  readonly specifier: string | null
  readonly isReExport: boolean
}

export interface SourceFacts {
  readonly links: readonly ModuleLink[]
  /** Lines that export something imported, without a `from` of their own. */
  readonly indirectReExports: readonly number[]
  readonly processUses: readonly number[]
}

/** What the rules need to know of a file, types included. */
export function factsOf(source: string, isTsx = false): SourceFacts {
  const tokens = tokensOf(source, isTsx)
  const links: ModuleLink[] = []
  const imported = new Set<string>()
  const exports: { readonly line: number; readonly names: readonly string[] }[] = []
  const processUses: number[] = []
  for (const [index, { text, line }] of tokens.entries()) {
    if (isProcess(tokens, index)) processUses.push(line)
    if (!isKeyword(tokens, index)) continue
    if (text === 'import' || text === 'require') {
      const found = importAt(tokens, index)
      if (found === null) continue
      links.push({ line, specifier: found.specifier, isReExport: false })
      for (const name of found.names) imported.add(name)
    }
    if (text === 'export') {
      const found = exportListAt(tokens, index)
      if (found === null) continue
      if (found.specifier === null) exports.push({ line, names: found.names })
      else links.push({ line, specifier: found.specifier, isReExport: true })
    }
  }
  const indirect = exports.filter(({ names }) => names.some((name) => imported.has(name)))
  return { links, indirectReExports: indirect.map(({ line }) => line), processUses }
}

interface Named {
  readonly specifier: string | null
  readonly names: readonly string[]
}

/** `process` by itself or through the global object; a property of that name elsewhere is something else. */
function isProcess(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index]
  if (token?.text !== 'process') return false
  const isProperty = isMark(tokens[index - 1], token.kind === 'string' ? '[' : '.')
  const owner = isMark(tokens[index - 2], '?') ? tokens[index - 3] : tokens[index - 2]
  return isProperty ? isWord(owner, 'globalThis') : token.kind === 'word'
}

function isKeyword(tokens: readonly Token[], index: number): boolean {
  return tokens[index]?.kind === 'word' && !isMark(tokens[index - 1], '.') && !isMark(tokens[index + 1], ':')
}

function importAt(tokens: readonly Token[], index: number): Named | null {
  const next = tokens[index + 1]
  if (isMark(next, '(')) return callAt(tokens, index + 1)
  if (isWord(tokens[index], 'require')) return null
  if (next?.kind === 'string') return { specifier: next.text, names: [] }
  // `import.meta` is no import; `import.defer('x')` is one.
  if (isMark(next, '.')) return isMark(tokens[index + 3], '(') ? callAt(tokens, index + 3) : null
  for (let at = index + 1; isClause(tokens[at]); at += 1) {
    const specifier = fromAt(tokens, at)
    if (specifier !== null) return { specifier, names: lastWords(tokens.slice(index + 1, at)) }
  }
  return null
}

/** A call with no argument is a method of that name. */
function callAt(tokens: readonly Token[], open: number): Named | null {
  const [argument, after] = tokens.slice(open + 1, open + 3)
  if (argument === undefined || isMark(argument, ')')) return null
  const isLiteral = argument.kind === 'string' && (isMark(after, ')') || isMark(after, ','))
  return { specifier: isLiteral ? argument.text : null, names: [] }
}

function exportListAt(tokens: readonly Token[], index: number): Named | null {
  const open = isWord(tokens[index + 1], 'type') ? index + 2 : index + 1
  if (isMark(tokens[open], '*')) {
    const specifier = fromAt(tokens, open + 1) ?? fromAt(tokens, open + 3)
    return specifier === null ? null : { specifier, names: [] }
  }
  if (!isMark(tokens[open], '{')) return null
  const close = tokens.findIndex((token, at) => at > open && isMark(token, '}'))
  return { specifier: fromAt(tokens, close + 1), names: firstWords(tokens.slice(open, close)) }
}

function fromAt(tokens: readonly Token[], at: number): string | null {
  const specifier = tokens[at + 1]
  return isWord(tokens[at], 'from') && specifier?.kind === 'string' ? specifier.text : null
}

function isClause(token: Token | undefined): boolean {
  if (token?.kind === 'punctuation') return '{},*'.includes(token.text)
  return token?.kind === 'word' || token?.kind === 'string'
}

/** Of `type A, { b as c }` the names that the file itself uses: A and c. */
function lastWords(clause: readonly Token[]): string[] {
  return chunksOf(clause).flatMap((words) => words.at(-1) ?? [])
}

/** Of `{ type A, b as c }` the names as the file knows them: A and b. */
function firstWords(list: readonly Token[]): string[] {
  return chunksOf(list).flatMap((words) => {
    const [first, second] = words
    return (first === 'type' && second !== undefined && second !== 'as' ? second : first) ?? []
  })
}

function chunksOf(tokens: readonly Token[]): string[][] {
  const chunks: string[][] = [[]]
  for (const { kind, text } of tokens) {
    if (kind === 'punctuation') chunks.push([])
    else chunks.at(-1)?.push(text)
  }
  return chunks
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'punctuation' && token.text === text
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text
}
