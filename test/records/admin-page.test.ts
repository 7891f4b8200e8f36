import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { sqlite } from '../store/engines.ts'
import { startAdminServer } from './admin-server.ts'

const page = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8')

test('the page names every operation with the scopes that open it, and no other', async () => {
  await using admin = await startAdminServer({ engine: sqlite })
  const { paths } = (await admin.server.inject('/api/v1/openapi.json')).json()
  const served = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(Object(item)).map(([method, operation]) => {
      const scopes = Object(operation).security.map(
        ({ oauth2: [scope] }: { oauth2: string[] }) => `\`${scope}\``,
      )
      return `\`${method.toUpperCase()} ${path}\` | ${scopes.join(' or ')}`
    }),
  )
  const told = [...page.matchAll(/^\| (`[A-Z]+ \/[^|]+` \| [^|]+) \|/gm)].map(([, row = '']) => row)
  assert.deepEqual(told.toSorted(), served.toSorted())
})
