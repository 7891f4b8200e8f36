import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { authorityListener } from '../config/public-url.ts'
import { loadConfig } from './load-config.ts'

let cwd = ''
before(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'postern-config-'))
  await writeFile(join(cwd, 'derived.yaml'), 'server: { port: 9001 }\n')
  await writeFile(join(cwd, 'written.yaml'), 'server: { port: 9001, publicUrl: https://gate.example }\n')
})
after(() => rm(cwd, { recursive: true }))

async function publicUrl(file: string, override: { host?: string; port?: number }): Promise<string> {
  const { config } = await loadConfig({ file, ...override }, { cwd, env: {} })
  return config.server.publicUrl
}

test('a port or host from the command line takes the place of the one in the file', async () => {
  const { config } = await loadConfig(
    { file: 'derived.yaml', host: 'localhost', port: 9002 },
    { cwd, env: {} },
  )
  assert.deepEqual([config.server.host, config.server.port], ['localhost', 9002])
})

test('a public URL that follows from host and port follows the command line too', async () => {
  assert.equal(await publicUrl('derived.yaml', {}), 'http://127.0.0.1:9001')
  assert.equal(await publicUrl('derived.yaml', { port: 9002 }), 'http://127.0.0.1:9002')
  assert.equal(await publicUrl('derived.yaml', { host: '::1' }), 'http://[::1]:9001')
})

test('a public URL that was written down stays', async () => {
  assert.equal(await publicUrl('written.yaml', { host: '0.0.0.0', port: 9002 }), 'https://gate.example')
})

test('listening to the world without a public URL is refused', async () => {
  await assert.rejects(publicUrl('derived.yaml', { host: '0.0.0.0' }), /server\.publicUrl is missing/)
})

test('a port from the command line must differ from the one of the metrics, as in the file', async () => {
  await assert.rejects(
    publicUrl('written.yaml', { port: 8082 }),
    /server\.opsPort must differ from server\.port/,
  )
})

test('the host and port of the authority move its issuer, and leave the gateway where it is', async () => {
  const { config } = await loadConfig(
    { file: 'derived.yaml', port: 9003, listener: authorityListener },
    { cwd, env: {} },
  )
  assert.deepEqual([config.authority.port, config.authority.issuer], [9003, 'http://127.0.0.1:9003'])
  assert.equal(config.server.publicUrl, 'http://127.0.0.1:9001')
})

test('an authority that listens to the world without an issuer is refused', async () => {
  const request = { file: 'derived.yaml', host: '0.0.0.0', listener: authorityListener }
  await assert.rejects(loadConfig(request, { cwd, env: {} }), /authority\.issuer is missing/)
})

test('port 0 is a free port of the host that counts, unless the public URL is written down', async () => {
  const { config } = await loadConfig({ file: 'derived.yaml', port: 0 }, { cwd, env: {} })
  assert.ok(config.server.port > 0)
  assert.equal(config.server.publicUrl, `http://127.0.0.1:${config.server.port}`)
  const written = await loadConfig({ file: 'written.yaml', port: 0 }, { cwd, env: {} })
  assert.equal(written.config.server.port, 0)
})

test('relative paths begin at the folder of the file, or at the working folder without one', async () => {
  const elsewhere = { cwd: tmpdir(), env: {} }
  assert.equal((await loadConfig({ file: join(cwd, 'derived.yaml') }, elsewhere)).directory, cwd)
  const none = await loadConfig({}, { cwd, env: {} })
  assert.deepEqual([none.directory, none.file], [cwd, undefined])
})
