import { posix } from 'node:path'
import { importTable, type PartRule, processModules } from './import-table.ts'
import type { ModuleLink } from './module-links.ts'
import type { Rule, Violation } from './violation.ts'

interface PlacedLink {
  readonly path: string
  readonly part: PartRule
  readonly link: ModuleLink
}

/** Test files may use any package and any module of Node, and what lies in `test/`; parts bind them like all others. */
export function linkViolations(placed: PlacedLink): readonly Violation[] {
  const { path, link } = placed
  const broken = problemOf(placed)
  return broken === null ? [] : [{ path, line: link.line, rule: broken[0], message: broken[1] }]
}

export function isTestFile(path: string): boolean {
  return /\.test\.tsx?$/.test(path)
}

/** What users of the package import: it re-exports, and nobody here imports it. */
export function isEntry(path: string): boolean {
  return /^src\/[^/]+\/public(?:-browser)?\.ts$/.test(path)
}

/** The file that a relative import names, from the root of the checkout. */
export function linkedFile(path: string, specifier: string | null): string | null {
  return specifier !== null && /^\.{1,2}(?:\/|$)/.test(specifier)
    ? posix.join(posix.dirname(path), specifier)
    : null
}

type Problem = readonly [rule: Rule, message: string]

function problemOf({ path, part, link }: PlacedLink): Problem | null {
  const isTest = isTestFile(path)
  const { specifier } = link
  if (specifier === null)
    return isTest || part.loadsModules?.includes(path)
      ? null
      : ['computed-import', 'an import must name its module as a plain string']
  const target = linkedFile(path, specifier)
  if (target !== null) return isTest && target.startsWith('test/') ? null : fileProblem(path, part, target)
  if (specifier.startsWith('node:')) return isTest ? null : builtinProblem(path, part, specifier)
  return packageProblem(part, specifier, isTest)
}

function fileProblem(path: string, part: PartRule, target: string): Problem | null {
  const isTest = isTestFile(path)
  if (!/^(?:src|console)\//.test(target)) return ['outside-import', `${target} is not part of the source`]
  const other = importTable.find(({ folder }) => target.startsWith(`${folder}/`))
  if (other === undefined) return ['part-import', `${target} belongs to no part of the import table`]
  if (other !== part && !part.parts.includes(other.name))
    return ['part-import', `${part.name} must not import ${other.name}; ${allowed(part.parts)}`]
  const [word = ''] = posix.basename(path).split(/[-.]/, 1)
  const words = part.onlyFrom?.[other.name]
  if (words?.includes(word) === false && !isTest)
    return [
      'part-import',
      `${other.name} may be imported only by ${words.map((name) => `${name}.ts and ${name}-*.ts`).join(', ')}`,
    ]
  if (isTestFile(target) && !isTest) return ['test-import', `${target} is a test`]
  if (isEntry(target) && !isTest)
    return ['public-import', `${target} is for users of the package: import the file that has the thing`]
  return null
}

function builtinProblem(path: string, part: PartRule, specifier: string): Problem | null {
  const { builtinsOnlyIn: folder } = part
  if (folder !== undefined && !path.startsWith(`${folder}/`))
    return ['builtin-import', `${specifier} may be imported only by files in ${folder}`]
  if (part.builtins === 'any' || part.builtins.includes(specifier)) return null
  if (processModules.includes(specifier)) return ['builtin-import', `${specifier} belongs to cli`]
  return ['builtin-import', `${part.name} must not import ${specifier}; ${allowed(part.builtins)}`]
}

function packageProblem(part: PartRule, specifier: string, isTest: boolean): Problem | null {
  const [name] = /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?=\/|$)/.exec(specifier) ?? []
  if (name === undefined) return ['package-import', `"${specifier}" is neither a package nor a relative path`]
  if (isTest || part.packages.includes(name)) return null
  return ['package-import', `${part.name} must not import the package ${name}; ${allowed(part.packages)}`]
}

function allowed(names: readonly string[]): string {
  return names.length === 0 ? 'it may import none' : `allowed: ${names.join(', ')}`
}
