import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { logIn } from '../authorization-server/log-in.ts'
import { freePort } from '../free-port.ts'
import { hear } from './heard-text.ts'
import { type InteractiveProgram, startProgram } from './interactive-program.ts'
import { startNoteServers } from './note-servers.ts'
import { programFile } from './run-program.ts'
import { type ScriptedBrowser, startScriptedBrowser } from './scripted-browser.ts'

const servers = await startNoteServers()
after(() => servers.stop())
const { issuer, signed, opaque } = servers
const document = ['--client-metadata-url', issuer.clientDocumentUrl] as const

for (const era of ['legacy', 'modern']) {
  test(`the Inspector, ${era} era, signs in through the browser, and steps up when the person agrees`, async () => {
    await using browser = await startScriptedBrowser()
    const inspect = await inspector(browser, [signed, '--protocol-era', era, ...document])
    {
      await using program = inspect(['--method', 'tools/list'])
      const asked = await signIn(page(browser, program), { withheld: 'notes:write' })
      assertAsksFor(asked, { resource: signed, clientId: issuer.clientDocumentUrl })
      await assertEnds(program, { code: 0, says: /"add_note".*"read_notes"/ })
    }
    {
      await using program = inspect([...call('read_notes', {}), '--stored-auth-only'])
      await assertEnds(program, { code: 0, says: /the notes of ada/ })
    }
    {
      await using program = inspect(call('add_note', { text: 'hello' }))
      await program.asks('needs additional scope: notes:write.')
      await program.asks('[y/N]')
      program.answer('y')
      const asked = await signIn(page(browser, program))
      assertAsksFor(asked, { resource: signed, clientId: issuer.clientDocumentUrl })
      await assertEnds(program, { code: 0, says: /ada noted: hello/ })
    }
    {
      await using program = inspect([...call('add_note', { text: 'again' }), '--stored-auth-only'])
      await assertEnds(program, { code: 0, says: /ada noted: again/ })
    }
  })

  test(`the Inspector, ${era} era, leaves the call refused when the person does not agree to step up`, async () => {
    await using browser = await startScriptedBrowser()
    const inspect = await inspector(browser, [signed, '--protocol-era', era, ...document])
    await using program = inspect(call('add_note', { text: 'hello' }))
    await signIn(page(browser, program), { withheld: 'notes:write' })
    await program.asks('[y/N]')
    program.answer('n')
    await assertEnds(program, { code: 1, says: /^$/, complains: /Step-up authorization declined/ })
  })

  // It answers a 403 itself only when it was told which client it is; else the SDK in it does, and may open no page.
  test(`the Inspector, ${era} era, signs in after it registered itself, but then it cannot step up`, async () => {
    await using browser = await startScriptedBrowser()
    const inspect = await inspector(browser, [opaque, '--protocol-era', era])
    {
      await using program = inspect(call('read_notes', {}))
      const asked = await signIn(page(browser, program), { withheld: 'notes:write' })
      assertAsksFor(asked, { resource: opaque })
      await assertEnds(program, { code: 0, says: /the notes of ada/ })
    }
    {
      await using program = inspect(call('add_note', { text: 'hello' }))
      const { code, out, err } = await program.ended
      assert.equal(code, 1, err)
      assert.equal(out, '')
      assert.doesNotMatch(err, /\[y\/N\]|Please navigate/)
    }
  })
}

const ways = [
  { how: 'by the legacy protocol, after it registered itself', url: signed, args: [] },
  {
    how: 'by the protocol both know best, with a metadata document and opaque tokens',
    url: opaque,
    args: ['--protocol', 'auto', ...document, '--host', '127.0.0.1', '--callback-path', '/callback'],
  },
] as const

for (const { how, url, args } of ways)
  test(`mcp-remote signs in through the browser and steps up while it is connected, ${how}`, async () => {
    await using browser = await startScriptedBrowser()
    const port = await freePort()
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [programFile(remote), url, String(port), '--allow-http', '--transport', 'http-only', ...args],
      env: { ...browser.environment },
      stderr: 'pipe',
    })
    assert.ok(transport.stderr instanceof Readable)
    const said = hear(transport.stderr)
    const client = new Client({ name: 'a test', version: '1.0.0' })
    const patience = { timeout: 55_000 }
    // It opens the page first and listens for the answer after that.
    const isListening = (times: number) => () =>
      said.until('This instance is running the sign-in for this server', times)
    try {
      const [asked] = await Promise.all([
        signIn(browser.opened(), { withheld: 'notes:write', isListening: isListening(1) }),
        client.connect(transport, patience),
      ])
      assertAsksFor(asked, { resource: url })
      const read = await client.callTool({ name: 'read_notes', arguments: {} }, undefined, patience)
      assert.deepEqual(read.content, [{ type: 'text', text: 'the notes of ada' }])

      const [askedAgain, added] = await Promise.all([
        signIn(browser.opened(), { isListening: isListening(2) }),
        client.callTool({ name: 'add_note', arguments: { text: 'hello' } }, undefined, patience),
      ])
      assertAsksFor(askedAgain, { resource: url })
      assert.deepEqual(added.content, [{ type: 'text', text: 'ada noted: hello' }])
    } finally {
      await client.close()
    }
  })

const remote = { of: 'mcp-remote', file: 'dist/proxy.js' } as const
const inspectorProgram = {
  of: '@modelcontextprotocol/inspector',
  file: 'clients/launcher/build/index.js',
} as const

/** Commands of one person: they share what is stored, and the address that the browser comes back to. */
async function inspector(
  browser: ScriptedBrowser,
  args: readonly string[],
): Promise<(command: readonly string[]) => InteractiveProgram> {
  const callback = `http://127.0.0.1:${await freePort()}/callback`
  const always = ['--transport', 'http', '--format', 'json', '--callback-url', callback]
  const env = {
    ...browser.environment,
    // Its own leave to ask a person and open the browser, although no terminal is there.
    MCP_AUTO_OPEN_ENABLED: 'true',
    // Never the keychain of the person who runs the tests.
    MCP_INSPECTOR_SECRET_STORE: 'file',
  }
  return (command) =>
    startProgram(inspectorProgram, ['--cli', ...args, ...always, ...command], { seconds: 55, env })
}

function call(tool: string, input: Readonly<Record<string, unknown>>): readonly string[] {
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(input)]
}

/** The next page; a program that ends without one is a failure. */
function page(browser: ScriptedBrowser, program: InteractiveProgram): Promise<URL> {
  const ended = program.ended.then(({ out, err }) => {
    throw new Error(`the program opened no page, but said:\n${out}\n${err}`)
  })
  return Promise.race([browser.opened(), ended])
}

/** Signs in, grants all that is asked except what is withheld, and goes back to the client. Tells what was asked. */
async function signIn(
  opened: Promise<URL>,
  { withheld, isListening }: { withheld?: string; isListening?: () => Promise<void> } = {},
): Promise<URLSearchParams> {
  const asked = await opened
  const granted = new URL(asked)
  const scopes = scopesOf(asked.searchParams).filter((scope) => scope !== withheld)
  granted.searchParams.set('scope', scopes.join(' '))
  const callback = await logIn(granted)
  await isListening?.()
  const response = await fetch(callback)
  assert.equal(response.status, 200, await response.text())
  return asked.searchParams
}

function assertAsksFor(
  asked: URLSearchParams,
  { resource, clientId }: { readonly resource: string; readonly clientId?: string },
): void {
  assert.equal(asked.get('resource'), resource)
  assert.equal(asked.get('code_challenge_method'), 'S256')
  if (clientId !== undefined) assert.equal(asked.get('client_id'), clientId)
  assert.deepEqual(scopesOf(asked).toSorted(), ['notes:read', 'notes:write', 'offline_access'])
}

function scopesOf(asked: URLSearchParams): readonly string[] {
  return asked.get('scope')?.split(' ') ?? []
}

async function assertEnds(
  program: InteractiveProgram,
  { code, says, complains = /^/ }: { code: number; says: RegExp; complains?: RegExp },
): Promise<void> {
  const end = await program.ended
  assert.equal(end.code, code, `${end.out}\n${end.err}`)
  assert.match(end.out, says)
  assert.match(end.err, complains)
}
