import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { SourceFile } from './violations.ts'

const patterns = ['src/**/*', 'console/**/*', 'test/**/*', 'bench/**/*', 'examples/**/*'].map(
  (folder) => `${folder}.{ts,tsx,mts,cts,js,jsx,mjs,cjs}`,
)

/** Every source file below `root`; JavaScript too, or a rule could be passed by on a file's ending. */
export function readSourceFiles(root: string): readonly SourceFile[] {
  return globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
    .toSorted()
    .map((path) => ({ path: path.replaceAll(sep, '/'), text: readFileSync(join(root, path), 'utf8') }))
}
