import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openPage } from './open-page.ts'

const page = new URL('https://issuer.example/authorize?a=1&b=$(x)')
let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-browser-'))
})
after(() => rm(folder, { recursive: true }))

async function browser(name: string, script: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o700)
  return path
}

/** Enough for a program that ends at once, on any machine. */
const patience = 50_000

test('the page is given to the browser as one word, which no shell reads', async () => {
  const seen = join(folder, 'seen')
  const BROWSER = await browser('good', `printf %s "$1" > '${seen}'`)
  assert.equal(await openPage(page, { platform: 'linux', env: { BROWSER } }, patience), true)
  assert.equal(await readFile(seen, 'utf8'), page.href)
})

test('a browser that runs on shows the page', async () => {
  const BROWSER = await browser('slow', 'exec sleep 1')
  assert.equal(await openPage(page, { platform: 'linux', env: { BROWSER } }, 50), true)
})

test('no browser, one that is not there, and one that fails, show nothing', async () => {
  const failing = await browser('bad', 'exit 3')
  for (const BROWSER of [undefined, join(folder, 'none'), failing])
    assert.equal(await openPage(page, { platform: 'linux', env: { BROWSER } }, patience), false)
})
