import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGateway, createLog, Failure, openStore, parseConfig } from './public.ts'

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
