import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { moduleSource } from '../../src/mcp/source-module.ts'
import { modern } from './messages.ts'
import { serveTools } from './tool-server.ts'

test('the tool of docs/tools.md works as it stands there', async () => {
  const page = readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8')
  const [, code = ''] = /^```ts\n(.*?)^```$/ms.exec(page) ?? []
  const directory = mkdtempSync(join(tmpdir(), 'postern-page-'))
  // What stands in for an installed package: the same names, from the checkout.
  writeFileSync(
    join(directory, 'notes.ts'),
    code
      .replace("'postern'", JSON.stringify(new URL('../../src/gateway/public.ts', import.meta.url).href))
      .replace("'typebox'", JSON.stringify(import.meta.resolve('typebox'))),
  )
  const { post } = serveTools({
    sources: [{ source: await moduleSource({ path: './notes.ts', directory }) }],
  })
  rmSync(directory, { recursive: true })
  const { body, options } = modern('tools/call', { name: 'add_note', arguments: { text: 'milk' } })
  const response = await post(body, { ...options, token: 'ann+notes.write' })
  assert.deepEqual(response.json().result.content, [{ type: 'text', text: 'ann noted: milk' }])
  assert.equal((await post(body, { ...options, token: 'ann' })).statusCode, 403)
})
