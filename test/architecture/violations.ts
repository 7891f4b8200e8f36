import { cyclesOf } from './cycles.ts'
import { importTable, type PartRule } from './import-table.ts'
import { isEntry, isTestFile, linkedFile, linkViolations } from './link-rules.ts'
import { factsOf, type SourceFacts } from './module-links.ts'
import { nameViolations } from './name-rules.ts'
import { UnreadableSource } from './tokens.ts'
import type { Violation } from './violation.ts'

export interface SourceFile {
  /** From the root of the checkout, with `/`. */
  readonly path: string
  readonly text: string
}

/** Everything in these files that the law does not allow; outside `src` and `console` only names and circles count. */
export function violationsOf(files: readonly SourceFile[]): readonly Violation[] {
  const violations: Violation[] = []
  const links = new Map<string, readonly { readonly line: number; readonly to: string }[]>()
  for (const file of files) {
    violations.push(...nameViolations(file.path))
    const facts = readFacts(file)
    if ('rule' in facts) violations.push(facts)
    else {
      violations.push(...fileViolations(file.path, facts))
      links.set(file.path, relativeLinks(file.path, facts))
    }
  }
  const cycles = cyclesOf(links).map(({ path, line, cycle }): Violation => {
    return { path, line, rule: 'cycle', message: `files import each other in a circle: ${cycle.join(' → ')}` }
  })
  return [...violations, ...cycles]
}

function readFacts({ path, text }: SourceFile): SourceFacts | Violation {
  try {
    return factsOf(text, path.endsWith('.tsx'))
  } catch (error) {
    if (!(error instanceof UnreadableSource)) throw error
    return { path, line: error.line, rule: 'unreadable', message: error.message }
  }
}

function fileViolations(path: string, facts: SourceFacts): readonly Violation[] {
  if (!/^(?:src|console)\//.test(path)) return []
  const part = importTable.find(({ folder }) => path.startsWith(`${folder}/`))
  if (part === undefined)
    return [{ path, line: 1, rule: 'unknown-part', message: 'it belongs to no part of the import table' }]
  return [
    ...facts.links.flatMap((link) => linkViolations({ path, part, link })),
    ...reExportViolations(path, part, facts),
    ...processViolations(path, part, facts),
  ]
}

function reExportViolations(path: string, { folder }: PartRule, facts: SourceFacts): readonly Violation[] {
  if (isEntry(path)) return []
  const direct = facts.links.filter(({ isReExport }) => isReExport).map(({ line }) => line)
  return [...direct, ...facts.indirectReExports].map((line) => {
    const message = `only ${folder}/public.ts re-exports: import the file that has the thing`
    return { path, line, rule: 're-export', message }
  })
}

function processViolations(path: string, part: PartRule, facts: SourceFacts): readonly Violation[] {
  if (part.builtins === 'any' || isTestFile(path)) return []
  return facts.processUses.map((line) => {
    return {
      path,
      line,
      rule: 'process',
      message: 'process belongs to cli: take what you need as an argument',
    }
  })
}

function relativeLinks(
  path: string,
  { links }: SourceFacts,
): { readonly line: number; readonly to: string }[] {
  return links.flatMap(({ line, specifier }) => {
    const to = linkedFile(path, specifier)
    return to === null ? [] : [{ line, to }]
  })
}
