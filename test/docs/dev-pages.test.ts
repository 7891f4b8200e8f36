import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { blocksOf, typedBlocks } from './command-blocks.ts'
import { type DemoPerson, invitePerson } from './demo-person.ts'
import { openShellPlace, type ShellPlace } from './shell-place.ts'

/** What a page must have led to. */
const pages: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [
    /^401 Bearer .*resource_metadata=/m,
    /"authorization_servers"/,
    /^TOOL +TAKES/m,
    /^hello$/m,
    /"finishReason"/,
  ],
  'docs/getting-started.md': [
    /"registration_endpoint"/,
    /"text":"hello"/,
    /^403 Bearer .*insufficient_scope.*demo:time/m,
    /^data: \{/m,
    /^Created \S+/m,
    /^TOOL +TAKES/m,
    /^hello$/m,
    /^MODEL +READS +WRITES/m,
    /^ada +/m,
    /tools\/call time +deny +insufficient_scope/,
    /The record is whole/,
  ],
  'docs/clients.md': [/"name": "echo"/, /"text": "hello"/, /postern: http:\S+ \(http\) - Connected/],
  'docs/api.md': [
    /"name":"nightly".*"models":\["tiny"\]/,
    /"credentials":\{"type":"service_account"/,
    /"items":\[.*"has_more":false/,
    /"principal":"operator@.*"tokens_in":/,
    /^200 .*"items":\[.*"total":\d/m,
  ],
  'docs/backup.md': [/ dev +dev /, /The record is whole/],
}

/** One that runs for all pages, as it would for a reader who leaves it running. */
let person: DemoPerson
let place: ShellPlace

before(async () => {
  person = await invitePerson()
  place = await openShellPlace({ env: person.environment })
  const { authority, password } = readWelcome(await place.type('npm start\n'), place)
  person.sitDown(authority, password)
})

after(async () => {
  await place[Symbol.asyncDispose]()
  await person[Symbol.asyncDispose]()
})

for (const [page, outcomes] of Object.entries(pages))
  test(`every command of ${page} works as it stands, one after the other`, async () => {
    await place.takeNewTerminal()
    let told = ''
    for (const text of afterStart(page)) told += await place.type(text)
    assert.doesNotMatch(told, /"recovery":|"type":"about:blank"/)
    for (const outcome of outcomes) assert.match(told, outcome)
  })

test('the program in README.md works as it stands', async () => {
  await place.takeNewTerminal()
  const [code = '', ...more] = blocksOf('README.md', 'js')
  assert.deepEqual(more, [])
  await writeFile(join(place.folder, 'program.mjs'), code)
  const variables = afterStart('README.md').find((text) => text.includes('export GEMINI_API_KEY')) ?? ''
  const told = await place.type(`${variables.split('\n')[0]}\nnode program.mjs\n`)
  assert.match(told, /\w{3}/)
})

/** The blocks that are typed after `npm start`, which some pages begin with and the others take for granted. */
function afterStart(page: string): readonly string[] {
  const blocks = typedBlocks(page)
  return blocks[0] === 'npm start\n' ? blocks.slice(1) : blocks
}

/** From now on the page means the ports that were free. */
function readWelcome(
  text: string,
  { means }: ShellPlace,
): { readonly authority: string; readonly password: string } {
  const [, gateway = ''] = /gateway +http:\/\/(\S+)/.exec(text) ?? []
  const [, authority = ''] = /authority +http:\/\/(\S+)/.exec(text) ?? []
  const [, password = ''] = /sign in +demo \/ (\S+)/.exec(text) ?? []
  means.set('127.0.0.1:8081', authority).set('127.0.0.1:8080', gateway)
  return { authority: `http://${authority}`, password }
}
