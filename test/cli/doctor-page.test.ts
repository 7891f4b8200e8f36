import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('docs/doctor.md has every cause that the doctor can name, and no other', () => {
  const files = globSync(['src/client/doctor/*.ts', 'src/cli/doctor*.ts'], { cwd: root })
  const named = files.flatMap((file) =>
    [...readFileSync(`${root}/${file}`, 'utf8').matchAll(/cause: ([^,\n]*'[a-z0-9_]+')/g)].flatMap(
      ([, words = '']) => [...words.matchAll(/'([a-z0-9_]+)'/g)].map(([, word = '']) => word),
    ),
  )
  const page = readFileSync(`${root}/docs/doctor.md`, 'utf8')
  const [, table = ''] = /^\| cause \|.*\n((?:\|.*\n)+)/m.exec(page) ?? []
  const told = table.split('\n').flatMap((row) => {
    const [, causes = ''] = row.split('|')
    return [...causes.matchAll(/`([a-z0-9_]+)`/g)].map(([, word = '']) => word)
  })
  assert.ok(named.includes('wrong_audience'))
  assert.deepEqual(told.toSorted(), [...new Set(named)].toSorted())
})
