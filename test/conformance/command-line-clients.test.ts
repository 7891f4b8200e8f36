import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { machineClient } from '../authorization-server/settings.ts'
import { startNoteServers } from './note-servers.ts'
import { type ProgramEnd, programFile, runProgram } from './run-program.ts'

const servers = await startNoteServers()
after(() => servers.stop())
const { issuer, signed } = servers
const token = await issuer.machineToken(signed, ['notes:read'])
const home = await mkdtemp(join(tmpdir(), 'postern-clients-'))
after(() => rm(home, { recursive: true }))
const environment = { ...process.env, HOME: home, USERPROFILE: home, MCP_REMOTE_CONFIG_DIR: home }

const bearer = ['--header', `Authorization: Bearer ${token}`]

/** Every command the Inspector is given, and the exit code that it has for what the server answers. */
const commands: readonly { what: string; args: readonly string[]; code: number; says: RegExp }[] = [
  {
    what: 'lists the tools',
    args: ['--method', 'tools/list', ...bearer],
    code: 0,
    says: /"add_note".*"read_notes"/s,
  },
  { what: 'calls a tool', args: calls('read_notes'), code: 0, says: /the notes of machine/ },
  { what: 'reports a tool that failed', args: calls('break'), code: 5, says: /tool_is_error/ },
  { what: 'reports a scope that is missing', args: calls('add_note', { text: 'x' }), code: 1, says: /scope/ },
  {
    what: 'reports that it has to sign in',
    args: ['--method', 'tools/list', '--stored-auth-only'],
    code: 3,
    says: /auth_required/,
  },
]

for (const era of ['legacy', 'modern'])
  for (const { what, args, code, says } of commands)
    test(`the Inspector, ${era} era, ${what}`, async () => {
      const end = await inspect(['--protocol-era', era, ...args])
      assert.equal(end.code, code, `${end.out}\n${end.err}`)
      assert.match(`${end.out}\n${end.err}`, says)
      assert.doesNotMatch(end.out, /secret detail/)
    })

const ways = [
  { how: 'with a token, by the legacy protocol', args: bearer },
  { how: 'with a token, by the protocol both know best', args: [...bearer, '--protocol', 'auto'] },
  {
    how: 'after it found the issuer and signed in by itself',
    args: [
      '--client-credentials',
      '--static-oauth-client-info',
      JSON.stringify({ client_id: machineClient.id, client_secret: machineClient.secret }),
    ],
  },
] as const

for (const { how, args } of ways)
  test(`mcp-remote lists and calls tools ${how}`, async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [programFile(remote), signed, '--allow-http', '--transport', 'http-only', ...args],
      env: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? ''])),
      stderr: 'ignore',
    })
    const client = new Client({ name: 'a test', version: '1.0.0' })
    try {
      await client.connect(transport, patience)
      const { tools } = await client.listTools(undefined, patience)
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['add_note', 'break', 'read_notes'],
      )
      const { content } = await client.callTool({ name: 'read_notes', arguments: {} }, undefined, patience)
      assert.deepEqual(content, [{ type: 'text', text: 'the notes of machine' }])
    } finally {
      await client.close()
    }
  })

/** Against hanging alone. */
const patience = { timeout: 55_000 } as const

const remote = { of: 'mcp-remote', file: 'dist/proxy.js' } as const
const inspector = {
  of: '@modelcontextprotocol/inspector',
  file: 'clients/launcher/build/index.js',
} as const

function calls(tool: string, input: Readonly<Record<string, unknown>> = {}): readonly string[] {
  const args = ['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(input)]
  return [...args, ...bearer]
}

function inspect(args: readonly string[]): Promise<ProgramEnd> {
  const command = ['--cli', signed, '--transport', 'http', '--format', 'json', ...args]
  return runProgram(inspector, command, { seconds: 55, env: environment })
}
