import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { enter, press } from '../authority/browser-person.ts'
import { openChromium } from '../chromium.ts'
import { startAnsweringServer } from '../client/answering-server.ts'
import { bundleForBrowser } from '../client/browser-bundle.ts'
import { type ClientPlace, openClientPlace } from './client-place.ts'
import { blocksOf } from './command-blocks.ts'
import { checkout } from './shell-place.ts'

const page = 'docs/client.md'
const programs = new Map(
  blocksOf(page, 'ts').map((text) => [
    /^\/\/ ([\w-]+\.ts)\n/.exec(text)?.[1] ?? 'a block without a name',
    text,
  ]),
)

/** What each program of the page prints, in the order of the page; `page.ts` is for a browser. */
const outcomes: Readonly<Record<string, RegExp>> = {
  'sign-in.ts': /^$/,
  'tools.ts': /^Sign in at http\S+\necho: .+\ntime: .+\nit says: hello\n$/,
  'story.ts': / \(\d+ tokens\)\n.*\w/s,
  'nightly.ts': /\w/,
  'events.ts': /^Sign in at http\S+\n(?:\S+Z \S+ (?:allow|deny)\n)+$/,
  'notes.ts': /^[1-9]\d* notes\n$/,
  'refused.ts': /^NOT_FOUND 404 undefined\n$/,
  'sign-out.ts': /^signed out everywhere\n$/,
}

const files = new Map<string, string>()
const site = await startAnsweringServer((_request, response, url) => {
  const script = files.get(url.pathname.slice(1))
  response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
  response.end(
    script ??
      '<!doctype html><button>Call</button><output></output><script type="module" src="/entry.js"></script>',
  )
})
after(() => site[Symbol.asyncDispose]())
const { origin } = new URL(site.url)
let place: ClientPlace

before(async () => {
  place = await openClientPlace(origin)
  for (const [name, text] of programs) await writeFile(join(place.folder, name), place.meant(text))
})
after(() => place[Symbol.asyncDispose]())

test('every program of the page has a name, and is run below', () => {
  assert.deepEqual([...programs.keys()].toSorted(), [...Object.keys(outcomes), 'page.ts'].toSorted())
})

test('the programs of the page pass the strictest check of types, with the types that are published', async () => {
  const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes']
  const modules = [
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--types',
    'node',
    '--allowImportingTsExtensions',
  ]
  const check = (names: readonly string[], lib: string): Promise<unknown> =>
    promisify(execFile)(
      join(checkout, 'node_modules', '.bin', 'tsc'),
      [...options, ...modules, '--lib', lib, '--skipLibCheck', ...names],
      { cwd: place.folder },
    ).catch(({ stdout }) => assert.fail(String(stdout)))
  await check(Object.keys(outcomes), 'es2024,esnext.disposable')
  await check(['page.ts'], 'es2024,esnext.disposable,dom')
})

for (const [name, outcome] of Object.entries(outcomes))
  test(`${name} of the page does what it says, in a process of its own`, async () => {
    assert.match(await place.run([name]), outcome)
  })

test('a list that was read to its end is not read again from the position that was kept', async () => {
  assert.equal(await place.run(['events.ts']), '')
})

test('page.ts of the page signs a person in from Chromium, and calls a tool', async () => {
  const bundle = await bundleForBrowser(place.meant(programs.get('page.ts') ?? ''))
  for (const [name, code] of bundle.files) files.set(name, code)
  await using browser = await openChromium()
  const context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(origin)
  const opened = context.waitForEvent('page')
  await press(tab, 'Call')
  const popup = await opened
  await enter(popup)
  await press(popup, 'Allow')
  await tab.getByText('hello').waitFor()
})

test('who signed in with the command line is signed in for the programs of the page', async () => {
  const postern = join(checkout, 'bin', 'postern.js')
  await place.run([postern, 'login', `${place.house.url}/mcp`])
  assert.match(await place.run(['tools.ts']), /^echo: .+\ntime: .+\nit says: hello\n$/)
})
