import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openChromium } from '../chromium.ts'
import { type InteractiveProgram, startProgram } from '../conformance/interactive-program.ts'
import { type ScriptedBrowser, startScriptedBrowser } from '../conformance/scripted-browser.ts'
import { freePort } from '../free-port.ts'
import { assertReads, enter, openTab, press } from './browser-person.ts'
import { publishClientDocuments } from './e2e-client-documents.ts'
import { startPrograms } from './e2e-programs.ts'

const browser = await openChromium()
after(() => browser.close())
const documents = await publishClientDocuments('The Inspector')
after(() => documents[Symbol.asyncDispose]())
const programs = await startPrograms({ authority: { allowPrivate: true }, env: documents.env })
after(() => programs[Symbol.asyncDispose]())
const { resource, issuer } = programs

for (const era of ['legacy', 'modern'])
  test(`the Inspector, ${era} era, signs in with its document, calls, refreshes, steps up, and has to ask again once revoked`, async () => {
    await using context = await browser.newContext()
    await using opener = await startScriptedBrowser()
    const client = documents.url(era)
    const inspect = await inspector(opener, ['--protocol-era', era, '--client-metadata-url', client])
    {
      await using program = inspect(call('read_notes', {}))
      const url = await nextPage(opener, program)
      assert.equal(url.searchParams.get('client_id'), client)
      // It asks for all that there is at once; so that there is more to ask for, it gets less.
      url.searchParams.set('scope', 'notes:read')
      const page = await openTab(context, url)
      await enter(page)
      await assertReads(page, /Allow localhost:\d+ to use/, /It calls itself “The Inspector”/)
      await press(page, 'Allow')
      await assertEnds(program, /the notes of [0-9a-f-]{36}/)
    }
    const first = await refreshTokenOf(opener)
    {
      await spoilAccessToken(opener)
      await using program = inspect([...call('read_notes', {}), '--stored-auth-only'])
      await assertEnds(program, /the notes of /)
      assert.notEqual(await refreshTokenOf(opener), first)
    }
    {
      await using program = inspect(call('add_note', { text: 'hello' }))
      await program.asks('[y/N]')
      program.answer('y')
      const page = await openTab(context, await nextPage(opener, program))
      await assertReads(page, /It now also asks to .*Write and change/, /Already allowed Read your notes/)
      await press(page, 'Allow')
      await assertEnds(program, / noted: hello/)
    }
    {
      await revoke({ token: await refreshTokenOf(opener), client })
      await spoilAccessToken(opener)
      await using program = inspect([...call('read_notes', {}), '--stored-auth-only'])
      const { code, err } = await program.ended
      assert.equal(code, 3, err)
      assert.match(err, /auth_required/)
    }
  })

const inspectorProgram = {
  of: '@modelcontextprotocol/inspector',
  file: 'clients/launcher/build/index.js',
} as const

async function inspector(
  { environment }: ScriptedBrowser,
  more: readonly string[],
): Promise<(command: readonly string[]) => InteractiveProgram> {
  const callback = `http://127.0.0.1:${await freePort()}/callback`
  const always = ['--transport', 'http', '--format', 'json', '--callback-url', callback, ...more]
  const env = {
    ...environment,
    // Its own leave to ask a person and open the browser, although no terminal is there.
    MCP_AUTO_OPEN_ENABLED: 'true',
    // Never the keychain of the person who runs the tests.
    MCP_INSPECTOR_SECRET_STORE: 'file',
  }
  return (command) =>
    startProgram(inspectorProgram, ['--cli', resource, ...always, ...command], { seconds: 55, env })
}

function call(tool: string, input: Readonly<Record<string, unknown>>): readonly string[] {
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(input)]
}

/** A program that ends without a page is a failure. */
function nextPage(opener: ScriptedBrowser, program: InteractiveProgram): Promise<URL> {
  const ended = program.ended.then(({ out, err }) => {
    throw new Error(`the program opened no page, but said:\n${out}\n${err}`)
  })
  return Promise.race([opener.opened(), ended])
}

async function assertEnds(program: InteractiveProgram, says: RegExp): Promise<void> {
  const { code, out, err } = await program.ended
  assert.equal(code, 0, `${out}\n${err}`)
  assert.match(out, says)
}

/** Where it keeps its tokens when it has no keychain. */
function secretsFile({ environment }: ScriptedBrowser): string {
  return join(environment.HOME ?? '', '.mcp-inspector', 'secrets.json')
}

async function refreshTokenOf(opener: ScriptedBrowser): Promise<string> {
  const [, token = ''] =
    /refresh_token\\":\\"([\w-]+)/.exec(await readFile(secretsFile(opener), 'utf8')) ?? []
  assert.notEqual(token, '')
  return token
}

async function spoilAccessToken(opener: ScriptedBrowser): Promise<void> {
  const kept = await readFile(secretsFile(opener), 'utf8')
  const spoilt = kept.replace(/(access_token\\":\\"[\w.-]+)/, '$1x')
  assert.notEqual(spoilt, kept)
  await writeFile(secretsFile(opener), spoilt)
}

/** With `--relogin` it means to do it itself, but this version leaves it out. */
async function revoke({ token, client }: { readonly token: string; readonly client: string }): Promise<void> {
  const body = new URLSearchParams({ token, client_id: client })
  assert.equal((await fetch(`${issuer}/revoke`, { method: 'POST', body })).status, 200)
}
