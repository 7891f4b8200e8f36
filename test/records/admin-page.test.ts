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

test('the commands of the page do what it says, on the day it speaks of', async () => {
  let time = Date.UTC(2026, 10, 15, 10) * 1000
  await using admin = await startAdminServer({ engine: sqlite, now: () => (time += 1) })
  const commands = [...page.replaceAll('\\\n', ' ').matchAll(/^curl (.+)$/gm)].map(([, text = '']) => text)
  assert.ok(commands.length > 5)
  for (const command of commands) {
    const path = /"\$API([^"]+)"/.exec(command)?.[1] ?? ''
    const body = /-d '([^']+)'/.exec(command)?.[1]
    const method = /-X (\w+)/.exec(command)?.[1] ?? (body === undefined ? 'GET' : 'POST')
    const id = '019a8e0c-5f2b-7c41-9a3e-0123456789ab'
    if (path.startsWith('/events:stream')) continue
    const answer = await admin.call(path.replace('$ID', id), {
      method: method === 'POST' ? 'POST' : method === 'DELETE' ? 'DELETE' : 'GET',
      body,
    })
    // Nothing has the id of the examples.
    const isThere = !path.includes('$ID')
    assert.equal(answer.statusCode < 300, isThere, `${command}: ${answer.body}`)
    if (!isThere) assert.equal(answer.statusCode, 404)
  }
})
