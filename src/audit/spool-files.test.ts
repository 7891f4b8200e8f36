import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { segmentStarts, spoolIds } from './spool-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-spool-'))
after(() => rmSync(folder, { recursive: true }))

for (const name of ['abc-1.90.log', 'abc-1.1000.log', 'abc-1.0.log', 'abc-2.0.log', 'abc-9.lock'])
  writeFileSync(join(folder, name), '')
for (const name of ['notes.txt', 'abc-3.x.log', '.log', 'abc-4.1.log.gz'])
  writeFileSync(join(folder, name), '')

test('a spool is found by its files or its lock, and nothing else is taken for one', () => {
  assert.deepEqual(spoolIds(folder), ['abc-1', 'abc-2', 'abc-9'])
})

test('the files of a spool are in the order of what they hold', () => {
  assert.deepEqual(segmentStarts({ folder, id: 'abc-1' }), [0, 90, 1000])
})
