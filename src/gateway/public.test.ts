import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { freePort } from '../../test/free-port.ts'
import { createApiKeys } from '../store/api-keys.ts'
import { microsecondClock } from '../store/clock.ts'
import { createGateway, createLog, Failure, openStore, parseConfig, startGateway } from './public.ts'

test('a program that starts the gateway has all of it: models, limits and records', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'postern-embedded-'))
  const log = createLog({ level: 'silent' })
  const settings = {
    server: { port: await freePort() },
    store: 'sqlite:./gate.db',
    audit: { spool: './spool' },
    models: [{ name: 'tiny', engine: 'story' }],
    limits: { perKey: { requestsPerMinute: 1 } },
  }
  try {
    const { gateway, url } = await startGateway({
      config: parseConfig(JSON.stringify(settings), { file: 'inline', env: {} }),
      log,
      directory,
    })
    const store = await openStore(settings.store, { log, directory })
    const { key } = await createApiKeys(store, microsecondClock()).create({ name: 'host' })
    const ask = async (): Promise<number> =>
      (await fetch(`${url}/v1beta/models`, { headers: { 'x-goog-api-key': key } })).status
    assert.deepEqual([await ask(), await ask()], [200, 429])
    const decisions = async (): Promise<readonly string[]> =>
      (await store.db.selectFrom('audit_events').select('decision').execute())
        .map(({ decision }) => decision)
        .toSorted()
    // An event is in the store a moment after the answer.
    while ((await decisions()).length < 2) await setImmediate()
    await gateway.stop()
    assert.deepEqual(await decisions(), ['allow', 'deny'])
    await store.close()
  } finally {
    await rm(directory, { recursive: true })
  }
})

test('the package alone is enough to run a gateway inside another program', async () => {
  const log = createLog({ level: 'silent' })
  const config = parseConfig('server: { port: 9000 }', { file: 'inline', env: {} })
  const gateway = createGateway({ config, store: await openStore('sqlite::memory:', { log }), log })
  assert.equal((await gateway.inject('/healthz')).statusCode, 200)
  await gateway.stop()
})

test('a wrong configuration is a Failure that a host program can recognise', () => {
  assert.throws(() => parseConfig('server: 7', { file: 'inline', env: {} }), Failure)
})
