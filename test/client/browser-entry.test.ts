import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { linkedFile } from '../architecture/link-rules.ts'
import { factsOf } from '../architecture/module-links.ts'
import { bundleForBrowser } from './browser-bundle.ts'

test('no file that the browser entry reaches imports a module of Node, or anything of the server', () => {
  const reached = filesFrom('src/client/public-browser.ts')
  assert.ok(reached.has('src/client/tools/connect-tools.ts'))
  for (const [path, imports] of reached) {
    assert.match(path, /^src\/client\/(?!node\/)/)
    assert.deepEqual(
      imports.filter((name) => name.startsWith('node:')),
      [],
      path,
    )
  }
})

test('the whole of postern/client as a bundle for browsers needs nothing else, and holds nothing of the server', async () => {
  const { modules, externals } = await bundleForBrowser("export * from 'postern/client'")
  assert.deepEqual(externals, [])
  const ours = modules.filter((path) => path.startsWith('src/'))
  assert.ok(ours.includes('src/client/oauth/create-oauth.ts'))
  assert.deepEqual(
    ours.filter((path) => !path.startsWith('src/client/') || path.startsWith('src/client/node/')),
    [],
  )
  const packages = new Set(
    modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
  )
  assert.deepEqual(
    [...packages].filter((name) => serverPackages.has(name)),
    [],
  )
})

test('who only walks lists loads neither the sign-in nor the tools', async () => {
  const code =
    "import { cursorPages, walk } from 'postern/client'\nglobalThis.list = walk(cursorPages('https://a.example'))"
  const { modules, files } = await bundleForBrowser(code)
  assert.deepEqual(
    modules.filter((path) => /oauth|tools|node_modules/.test(path)),
    [],
  )
  assert.equal(files.size, 1)
})

test('the official MCP client is loaded when tools are connected, not before', async () => {
  const { files } = await bundleForBrowser(
    "import { connectTools } from 'postern/client'\nglobalThis.connect = connectTools",
  )
  const entry = files.get('entry.js') ?? ''
  assert.ok(files.size > 1)
  assert.match(entry, /import\(/)
  assert.ok(entry.length < 50_000, `${entry.length} characters`)
})

const serverPackages: ReadonlySet<string> = new Set(
  ['fastify', 'kysely', 'pg', 'pino', 'typebox', 'undici', 'oidc-provider', 'yaml'].concat(
    'google-auth-library',
  ),
)

/** Each file that is imported from the first one, and what it imports itself. */
function filesFrom(first: string): ReadonlyMap<string, readonly string[]> {
  const reached = new Map<string, readonly string[]>()
  const waiting = [first]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue
    const { links } = factsOf(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
    const imports = links.flatMap(({ specifier }) => specifier ?? [])
    reached.set(path, imports)
    for (const specifier of imports) {
      const target = linkedFile(path, specifier)
      if (target !== null) waiting.push(target)
    }
  }
  return reached
}
