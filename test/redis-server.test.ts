import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Machine } from './chromium.ts'
import { redisCommand } from './records/limited-calls.ts'
import { findRedis, howToGetOne, provideRedis, startRedis } from './redis-server.ts'

interface Bare {
  readonly machine: Machine
  readonly commands: string[]
  readonly told: string[]
}

/** A machine with these files alone; `failing` says which of its commands fail. */
function bareMachine(
  files: string[],
  failing: (command: string, count: number) => boolean = () => false,
): Bare {
  const commands: string[] = []
  const told: string[] = []
  const machine: Machine = {
    named: undefined,
    isRoot: true,
    isFile: (path) => files.includes(path),
    run: async (program, args) => {
      const command = [program, ...args].join(' ')
      commands.push(command)
      if (failing(command, commands.length)) throw new Error('no network')
      if (args[0] === 'install') files.push('/usr/bin/redis-server')
    },
    tell: (progress) => told.push(progress),
  }
  return { machine, commands, told }
}

test('the Redis of this machine starts, is killed, comes back empty on the same port, and ends', async (t) => {
  const redis = await startRedis({ password: 'open sesame' })
  t.after(redis.stop)
  await redisCommand(redis.url, 'SET', 'a', '1')
  await redis.kill()
  await assert.rejects(redisCommand(redis.url, 'PING'), /ECONNREFUSED/)
  await redis.restart()
  assert.equal(await redisCommand(redis.url, 'GET', 'a'), null)
  await redis.stop()
  await redis.stop()
})

test('one in the usual places is found, and the one that POSTERN_REDIS names comes first', () => {
  const { machine } = bareMachine(['/usr/bin/redis-server', '/opt/valkey-server'])
  assert.equal(findRedis(machine), '/usr/bin/redis-server')
  assert.equal(findRedis({ ...machine, named: '/opt/valkey-server' }), '/opt/valkey-server')
  assert.throws(() => findRedis({ ...machine, named: '/opt/none' }), /POSTERN_REDIS names \/opt\/none/)
})

test('nothing is installed where one is, where the user is not root, or where there is no apt-get', async () => {
  const places = [
    bareMachine(['/usr/bin/valkey-server', '/usr/bin/apt-get']),
    bareMachine([]),
    bareMachine(['/usr/bin/apt-get']),
  ]
  for (const [index, { machine, commands }] of places.entries()) {
    await provideRedis({ ...machine, isRoot: index !== 2 })
    assert.deepEqual(commands, [])
  }
})

test('root of a Debian gets it by apt-get, with the list of packages read first where that is needed', async () => {
  const { machine, commands } = bareMachine(['/usr/bin/apt-get'], (_, count) => count === 1)
  await provideRedis(machine)
  const install =
    '/usr/bin/apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 redis-server'
  assert.deepEqual(commands, [install, '/usr/bin/apt-get update', install])
  assert.equal(findRedis(machine), '/usr/bin/redis-server')
})

test('an installation that fails is told, and the message says what to do', async () => {
  const { machine, told } = bareMachine(['/usr/bin/apt-get'], () => true)
  await provideRedis(machine)
  assert.match(told.at(-1) ?? '', /could not install redis-server: no network/)
  for (const way of ['apt-get install redis-server', 'brew install', 'POSTERN_REDIS='])
    assert.ok(howToGetOne.includes(way), way)
})
