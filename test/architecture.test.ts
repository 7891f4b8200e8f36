import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { importTable } from './architecture/import-table.ts'
import { readSourceFiles } from './architecture/source-files.ts'
import { renderImportTable } from './architecture/table-page.ts'
import { describeViolation } from './architecture/violation.ts'
import { violationsOf } from './architecture/violations.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = readSourceFiles(root)

test('every file keeps to the import table', () => {
  const paths = files.map(({ path }) => path)
  assert.ok(paths.includes('src/failure/failure.ts'), 'the source was not found')
  const violations = violationsOf(files).map(describeViolation)
  assert.equal(violations.length, 0, `\n${violations.join('\n')}\n`)
})

test('a part is marked "today" exactly when it has files', () => {
  for (const { name, folder, state } of importTable) {
    const isBuilt = files.some(({ path }) => path.startsWith(`${folder}/`))
    assert.equal(
      state,
      isBuilt ? 'today' : 'not yet',
      `set the state of "${name}" in test/architecture/import-table.ts`,
    )
  }
})

test('docs/architecture.md shows the same table', () => {
  const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
  const [shown] = /^\| part \|.*\n(?:\|.*\n)*/m.exec(page) ?? ['']
  assert.equal(shown.trimEnd(), renderImportTable(), 'paste the expected table into the page')
})
