import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { portOf } from '../../test/serving/raw-connection.ts'
import { parseConfig } from '../config/parse-config.ts'
import { createLog } from '../log/log.ts'
import { startGateway } from './start-gateway.ts'

const failing: readonly (readonly [string, (port: number) => object, RegExp])[] = [
  [
    'a source that is misconfigured',
    () => ({ tools: { sources: [{ kind: 'module', path: './missing.ts' }] } }),
    /missing\.ts/,
  ],
  ['a port that is taken', (port) => ({ server: { host: '127.0.0.1', port } }), /the port is in use/],
]

for (const [what, settings, message] of failing)
  test(`after ${what}, what was opened for the models ticks no more`, async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    t.after(() => taken.close())
    const config = parseConfig(
      JSON.stringify({
        store: 'sqlite::memory:',
        issuers: [{ issuer: 'https://login.example' }],
        models: [{ name: 'tiny', engine: 'story' }],
        ...settings(portOf(taken)),
      }),
      { file: 'test', env: {} },
    )
    const started = t.mock.method(globalThis, 'setInterval')
    // Either of them ends both kinds of timer.
    const ended = (['clearInterval', 'clearTimeout'] as const).map((name) => t.mock.method(globalThis, name))
    const log = createLog({ level: 'silent' })
    await assert.rejects(startGateway({ config, log, directory: import.meta.dirname }), { message })
    const cleared = new Set(ended.flatMap(({ mock }) => mock.calls.map((call): unknown => call.arguments[0])))
    assert.ok(started.mock.callCount() > 0)
    for (const { result } of started.mock.calls) assert.ok(cleared.has(result))
  })
