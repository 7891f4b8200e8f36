import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { type RedisServer, startRedis } from '../redis-server.ts'
import { ann, eventually, hammer, openedLimiter, redisCommand } from './limited-calls.ts'

async function redisFor(t: TestContext): Promise<RedisServer> {
  const redis = await startRedis()
  t.after(redis.stop)
  return redis
}

interface Front {
  readonly url: string
  /** Where connections go that are made from now on. */
  readonly lead: (url: string) => void
  /** Until another one is made. */
  readonly connection: () => Promise<unknown>
}

/** One address for several servers, as a name or a floating address is. */
async function frontOf(t: TestContext, url: string): Promise<Front> {
  let port = Number(new URL(url).port)
  const server = createServer((caller) => {
    const redis = connect(port, '127.0.0.1')
    pipeline(caller, redis, caller, () => undefined)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return {
    url: `redis://127.0.0.1:${Object(server.address()).port}`,
    lead: (to) => {
      port = Number(new URL(to).port)
    },
    connection: () => once(server, 'connection'),
  }
}

const many = '{ perPrincipalPerMinute: 1000000, whenSharedFails: refuse }'

test('with "refuse", calls are refused while Redis is dead, and counted again when it is back', async (t) => {
  const redis = await redisFor(t)
  const { ask, lines, limiter } = await openedLimiter(t, redis.url, many)
  assert.equal(await ask(), 'admitted')
  await redis.kill()
  await eventually(ask, 'limits_unavailable')
  await assert.rejects(async () => limiter.request(ann), {
    code: 'unavailable',
    retryAfterSeconds: 2,
    message: 'limits cannot be counted at the moment; try again in a few seconds',
  })
  await redis.restart()
  await eventually(ask, 'admitted')
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      ['error', 'limits cannot be counted: calls are refused until Redis is back'],
      ['info', 'limits are counted again: Redis is back'],
    ],
  )
})

test('with "allow", calls are let through while Redis is dead, and limited again when it is back', async (t) => {
  const redis = await redisFor(t)
  const limits = '{ perPrincipalPerMinute: 2, whenSharedFails: allow }'
  const { ask, limiter, lines } = await openedLimiter(t, redis.url, limits)
  assert.deepEqual([await ask(), await ask(), await ask()], ['admitted', 'admitted', 'quota'])
  await redis.kill()
  await eventually(ask, 'admitted')
  limiter.spend(ann, { kind: 'model', name: 'tiny' }, 5)
  assert.deepEqual([await ask(), await ask(), await ask()], ['admitted', 'admitted', 'admitted'])
  await redis.restart()
  await eventually(ask, 'quota')
  assert.equal(lines[0]?.msg, 'limits cannot be counted: calls are let through uncounted until Redis is back')
})

test('Redis killed in the middle of a load leaves no call without an answer', async (t) => {
  const redis = await redisFor(t)
  const { ask } = await openedLimiter(t, redis.url, many)
  const load = Array.from({ length: 50 }, async () => {
    const seen = new Set<string>()
    for (let last = await ask(); ; last = await ask()) {
      seen.add(last)
      if (last !== 'admitted') return seen
    }
  })
  assert.equal(await ask(), 'admitted')
  await redis.kill()
  for (const seen of await Promise.all(load)) assert.deepEqual([...seen].at(-1), 'limits_unavailable')
})

test('a call does not wait for a Redis that hangs, and the connection is given up', async (t) => {
  const redis = await redisFor(t)
  const { ask, lines } = await openedLimiter(t, redis.url, many)
  assert.equal(await ask(), 'admitted')
  process.kill(Number(redis.pid()), 'SIGSTOP')
  const start = performance.now()
  assert.equal(await ask(), 'limits_unavailable')
  const waited = performance.now() - start
  assert.ok(waited > 400 && waited < 1500, `${waited} ms`)
  await eventually(async () => {
    const before = performance.now()
    await ask()
    return performance.now() - before < 100 ? 'at once' : 'late'
  }, 'at once')
  // Time for some more attempts: its system still accepts connections, which does not make it back.
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal(lines.length, 1)
  process.kill(Number(redis.pid()), 'SIGCONT')
  await eventually(ask, 'admitted')
  assert.equal(lines.length, 2)
})

test('while Redis is dead, calls are decided at once and wait in no queue', async (t) => {
  const redis = await redisFor(t)
  const { ask } = await openedLimiter(t, redis.url, many)
  await redis.kill()
  await eventually(ask, 'limits_unavailable')
  // What is decided at once is known before the loop turns: no answer and no timer was waited for.
  const turned = new Promise((resolve) => setImmediate(resolve, 'the loop has turned'))
  const answers = Promise.all(Array.from({ length: 5000 }, () => ask()))
  const outcome = await Promise.race([answers, turned])
  assert.deepEqual(new Set([outcome].flat()), new Set(['limits_unavailable']))
})

test('a gateway starts without its Redis, and counts when that comes', async (t) => {
  const redis = await redisFor(t)
  await redis.kill()
  const { ask } = await openedLimiter(t, redis.url, '{ perPrincipalPerMinute: 1 }')
  assert.equal(await ask(), 'limits_unavailable')
  await redis.restart()
  await eventually(ask, 'admitted')
  assert.equal(await ask(), 'quota')
})

test('a gateway starts beside a Redis that hangs', async (t) => {
  const redis = await redisFor(t)
  process.kill(Number(redis.pid()), 'SIGSTOP')
  const { ask, lines } = await openedLimiter(t, redis.url)
  assert.equal(await ask(), 'limits_unavailable')
  assert.deepEqual(
    lines.map(({ level }) => level),
    ['error'],
  )
  process.kill(Number(redis.pid()), 'SIGCONT')
  await eventually(ask, 'admitted')
})

test('a Redis that forgot the script is given it again, and the count goes on', async (t) => {
  const redis = await redisFor(t)
  const { ask, lines } = await openedLimiter(t, redis.url, '{ perPrincipalPerMinute: 2 }')
  assert.equal(await ask(), 'admitted')
  await redisCommand(redis.url, 'SCRIPT', 'FLUSH')
  assert.deepEqual([await ask(), await ask()], ['admitted', 'quota'])
  assert.deepEqual(lines, [])
})

test('a Redis that answers with an error is treated as one that does not answer', async (t) => {
  const redis = await redisFor(t)
  const { ask, lines } = await openedLimiter(t, redis.url, many)
  await redisCommand(redis.url, 'CONFIG', 'SET', 'maxmemory', '1')
  assert.equal(await ask(), 'limits_unavailable')
  assert.equal(await ask(), 'limits_unavailable')
  assert.equal(lines.length, 1)
  await redisCommand(redis.url, 'CONFIG', 'SET', 'maxmemory', '0')
  assert.equal(await ask(), 'admitted')
})

test('a Redis that has become a replica is left, until its address leads to the new primary', async (t) => {
  const [old, next] = await Promise.all([redisFor(t), redisFor(t)])
  const front = await frontOf(t, old.url)
  const { ask, lines } = await openedLimiter(t, front.url, '{ perPrincipalPerMinute: 1 }')
  assert.equal(await ask(), 'admitted')
  await redisCommand(old.url, 'FLUSHALL')
  await redisCommand(old.url, 'REPLICAOF', '127.0.0.1', '1')
  assert.equal(await ask(), 'limits_unavailable')
  for (let attempt = 0; attempt < 2; attempt += 1) await front.connection()
  assert.equal(await ask(), 'limits_unavailable')
  assert.equal(lines.length, 1)
  front.lead(next.url)
  await eventually(ask, 'admitted')
  assert.equal(await ask(), 'quota')
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      ['error', 'limits cannot be counted: calls are refused until Redis is back'],
      ['info', 'limits are counted again: Redis is back'],
    ],
  )
})

test('a process whose Redis is dead can end', async (t) => {
  const redis = await redisFor(t)
  const { process: child, hit } = await hammer(`{ shared: "${redis.url}" }`, 1)
  await redis.kill()
  const exited = once(child, 'exit')
  assert.equal(await hit(), 0)
  assert.deepEqual(await exited, [0, null])
})
