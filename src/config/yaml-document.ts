import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { protectReferences, restoreReferences, strayStandIn } from './environment.ts'
import { type Problem, shownKey } from './problem.ts'

export interface YamlDocument {
  /** Nothing when the file is empty, or broken beyond reading. */
  readonly root: Node | undefined
  readonly problems: readonly Problem[]
  /** What each alias stands for. */
  readonly anchored: ReadonlyMap<Alias, Node>
  readonly position: (offset: number) => { readonly line: number; readonly column: number }
}

const maxCharacters = 1_048_576

/** YAML 1.2 with anchors, but without tags: one document, every key once. */
export function readYaml(text: string): YamlDocument {
  const lines = new LineCounter()
  const position: YamlDocument['position'] = (offset) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const complaint = unreadable(text)
  if (complaint !== undefined) {
    for (const start of lineStarts(text)) lines.addNewLine(start)
    return { ...broken([complaint]), position }
  }
  const document = parseDocument(protectReferences(text), {
    version: '1.2',
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  })
  return { ...examine(document), position }
}

/** The name of a key: YAML reads `8080:` as a number, we as the text that was written. */
export function keyName(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined
  const text = typeof key.value === 'string' ? key.value : key.source
  return text === undefined || text === '' ? undefined : restoreReferences(text)
}

type Examined = Omit<YamlDocument, 'position'>

function broken(problems: readonly Problem[]): Examined {
  return { root: undefined, problems, anchored: new Map() }
}

/** The parser counts lines, but here it never ran. */
function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
}

function unreadable(text: string): Problem | undefined {
  if (text.length > maxCharacters) {
    return { offset: 0, path: '', message: 'the file is larger than 1 MiB, which no configuration is' }
  }
  const offset = strayStandIn(text)
  const message = 'a noncharacter (U+FDD0 to U+FDD6) is not text; remove it'
  return offset < 0 ? undefined : { offset, path: '', message }
}

function examine(document: Document.Parsed): Examined {
  const syntax = document.errors.map(syntaxProblem)
  if (document.errors.some(({ code }) => code !== 'MULTIPLE_DOCS')) return broken(syntax)
  if (document.directives.yaml.version !== '1.2') {
    return broken([{ offset: 0, path: '', message: 'the file must be YAML 1.2; remove its %YAML line' }])
  }
  try {
    const { problems, anchored } = inspect(document)
    return { root: document.contents ?? undefined, problems: [...syntax, ...problems], anchored }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    return broken([{ offset: 0, path: '', message: 'the file is nested too deeply to be read' }])
  }
}

const noTags = 'tags are not supported; put a value in quotes to make it a text'

/** What stands after the * may be a secret. */
const lostAlias = 'an alias (*name) has no anchor before it; put a text that starts with * in quotes'

const knownErrors: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document starts here; the configuration is one document',
  TAG_RESOLVE_FAILED: noTags,
  BAD_COLLECTION_TYPE: noTags,
  RESOURCE_EXHAUSTION: 'the file is nested too deeply to be read',
}

/** The parser quotes the text at fault after a colon, and that text may be a secret. */
function syntaxProblem({ code, pos: [offset], message }: Document['errors'][number]): Problem {
  const words = `not valid YAML: ${message.replace(/(?<=[a-z)]): .*$/s, '')}`
  return { offset, path: '', message: knownErrors[code] ?? words }
}

function inspect(document: Document.Parsed): Pick<Examined, 'problems' | 'anchored'> {
  const problems: Problem[] = []
  const anchors = new Map<string, Node>()
  const anchored = new Map<Alias, Node>()
  const refuse = (node: Node, message: string): void => {
    problems.push({ offset: node.range?.[0] ?? 0, path: '', message })
  }
  visit(document, {
    Node(_, node) {
      if (node.tag !== undefined) refuse(node, noTags)
      for (const key of isMap(node) ? repeatedKeys(node) : []) {
        const { start, rest } = shownKey(keyName(key) ?? '')
        refuse(key, `the key "${start}${rest}" stands twice in one mapping; keep one of them`)
      }
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node)
        return
      }
      const target = anchors.get(node.source)
      if (target !== undefined) anchored.set(node, target)
      else refuse(node, lostAlias)
    },
  })
  return { problems, anchored }
}

function repeatedKeys(map: YAMLMap): Node[] {
  const seen = new Set<string>()
  return map.items.flatMap(({ key }) => {
    const name = keyName(key)
    if (name === undefined || !isNode(key)) return []
    const isRepeated = seen.has(name)
    seen.add(name)
    return isRepeated ? [key] : []
  })
}
