import { bannedWords, knownTerms } from './import-table.ts'
import type { Violation } from './violation.ts'

/** Looks at every folder and file name below the top folder. */
export function nameViolations(path: string): readonly Violation[] {
  return path
    .split('/')
    .slice(1)
    .flatMap((name) => wordsOf(name))
    .filter((word) => bannedWords.includes(word))
    .map((word) => {
      const message = `"${word}" fits everything and explains nothing: name it after what is inside`
      return { path, line: 1, rule: 'banned-name', message }
    })
}

function wordsOf(name: string): string[] {
  const bare = knownTerms.reduce((rest, term) => rest.replace(term, ''), name.toLowerCase())
  return bare.split(/[-._]/)
}
