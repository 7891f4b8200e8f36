import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { signWith } from '../authority/machine-requests.ts'
import {
  type Answer,
  firstOf,
  type Headers,
  type Instance,
  limit,
  type Surface,
  startFourGateways,
  surfaces,
} from './four-gateways.ts'

const gateways = await startFourGateways()
after(() => gateways[Symbol.asyncDispose]())
const { instances, redis, bearer } = gateways

let people = 0
function somebody(): Headers {
  people += 1
  return bearer(`person ${people}`)
}

/** So many calls at once, spread over all four. */
function load(
  count: number,
  call: (instance: Instance, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const instance = instances[index % instances.length]
      assert.ok(instance !== undefined)
      return call(instance, index)
    }),
  )
}

function withStatus(answers: readonly Answer[], status: number): readonly Answer[] {
  return answers.filter((answer) => answer.status === status)
}

/** Loads with a new person until all of it was within one window, which the first call opens. */
async function withinOneWindow(attempt: (who: Headers) => Promise<Answer[]>): Promise<Answer[]> {
  for (;;) {
    const start = performance.now()
    const answers = await attempt(somebody())
    if (performance.now() - start < 59_000) return answers
  }
}

async function assertExactly(
  limits: { readonly admitted: number; readonly asked: number },
  call: (instance: Instance, who: Headers, index: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers = await withinOneWindow((who) =>
    load(limits.asked, (instance, index) => call(instance, who, index)),
  )
  const counts = [withStatus(answers, 200).length, withStatus(answers, 429).length]
  assert.deepEqual(counts, [limits.admitted, limits.asked - limits.admitted])
  return withStatus(answers, 429)
}

/** A whole number of seconds, at most the rest of a minute, and the same in the header and in the words. */
function assertWait({ retryAfter }: Answer, said: unknown): void {
  const seconds = Number(retryAfter)
  assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 60, String(retryAfter))
  assert.equal(said, seconds)
}

test('a tool with a limit is called exactly so often, over all four, and the others are told when to come back', async () => {
  const refused = await assertExactly({ admitted: limit.tool, asked: 160 }, (instance, who) =>
    instance.call('mcp', who, 'limit'),
  )
  for (const answer of refused) {
    const { id, error } = Object(answer.body)
    assert.deepEqual([id, error.code, error.data.reason], [1, 429, 'quota'])
    assert.match(error.message, /^the limit of 40 .*; try again in \d+ seconds?$/)
    assertWait(answer, error.data.retryAfterSeconds)
  }
})

test('a model with a limit is called exactly so often, over all four, and the others get RESOURCE_EXHAUSTED', async () => {
  const refused = await assertExactly({ admitted: limit.model, asked: 120 }, (instance, who) =>
    instance.call('v1beta', who, 'limit'),
  )
  for (const answer of refused) {
    const { code, status, details } = Object(answer.body).error
    assert.deepEqual([code, status], [429, 'RESOURCE_EXHAUSTED'])
    const [quota, retry] = details
    assert.equal(quota['@type'], 'type.googleapis.com/google.rpc.QuotaFailure')
    assert.equal(retry['@type'], 'type.googleapis.com/google.rpc.RetryInfo')
    assertWait(answer, Number(retry.retryDelay.replace('s', '')))
  }
})

test('the limit of a principal is exact over all four and all surfaces together', async () => {
  const refused = await assertExactly({ admitted: limit.principal, asked: 300 }, (instance, who, index) =>
    instance.call(surfaces[Math.floor(index / instances.length) % surfaces.length] ?? 'api', who),
  )
  const [problem] = refused.filter(({ body }) => Object(body).title !== undefined)
  assert.ok(problem !== undefined)
  assert.equal(Object(problem.body).title, 'Too Many Requests')
  assertWait(problem, Number(problem.retryAfter))
})

/** Where a credential is in use, and how it is refused there. */
interface Use {
  readonly surface: Surface
  readonly refusal: number
}

/** Uses it everywhere, so that all four know it, ends its session at one, and asks everywhere until it is refused. */
async function assertRevokedWithinASecond(
  who: Headers,
  principal: string,
  uses: readonly Use[],
): Promise<void> {
  const places = instances.flatMap((instance) => uses.map((use) => ({ instance, ...use })))
  const before = await Promise.all(places.map(({ instance, surface }) => instance.call(surface, who)))
  assert.deepEqual(new Set(before.map(({ status }) => status)), new Set([200]))
  const session = await sessionOf(principal)
  const { status } = await firstOf(instances).api('DELETE', `/sessions/${session}`)
  assert.equal(status, 204)
  const ended = performance.now()
  await Promise.all(
    places.map(async ({ instance, surface, refusal }) => {
      for (;;) {
        const begun = performance.now() - ended
        const answer = await instance.call(surface, who)
        if (answer.status === refusal) return
        assert.equal(answer.status, 200, JSON.stringify(answer))
        assert.ok(begun < 1000, `admitted ${Math.round(begun)} ms later on ${surface}`)
        await pause(150)
      }
    }),
  )
  const later = await Promise.all(places.map(({ instance, surface }) => instance.call(surface, who)))
  assert.deepEqual(
    later.map(({ status }) => status),
    places.map(({ refusal }) => refusal),
  )
}

/** A session is in the list as soon as its first call is recorded. */
async function sessionOf(principal: string): Promise<string> {
  for (;;) {
    const { body } = await firstOf(instances).api('GET', '/sessions')
    const { items }: { items: readonly { readonly id: string; readonly principal: string }[] } = Object(body)
    const found = items.find((one) => one.principal === principal)
    if (found !== undefined) return found.id
    await pause(20)
  }
}

test('a token whose session is ended at one is refused by all four on every surface within a second', async () => {
  const everywhere = surfaces.map((surface) => ({ surface, refusal: 401 }))
  await assertRevokedWithinASecond(bearer('victim'), 'victim', everywhere)
})

test('an API key whose session is ended at one is refused by all four within a second', async () => {
  const key = await gateways.makeKey('nightly')
  await assertRevokedWithinASecond(key, 'nightly', [{ surface: 'v1beta', refusal: 400 }])
})

test('a key of a service account whose session is ended at one is refused by all four within a second', async () => {
  const file = await gateways.makeAccount('robot')
  const iat = Math.floor(Date.now() / 1000)
  const scope = 'https://www.googleapis.com/auth/generative-language'
  const claims = { iss: file.client_email, sub: file.client_email, scope, iat, exp: iat + 600 }
  const token = signWith(file, claims, { alg: 'RS256', kid: file.private_key_id })
  const who = { authorization: `Bearer ${token}` }
  await assertRevokedWithinASecond(who, file.client_email, [{ surface: 'v1beta', refusal: 401 }])
})

/** Calls on every surface of every instance, over and over until it is told to stop. */
function keepCalling(): { readonly stop: () => Promise<ReadonlyMap<Instance, readonly Answer[]>> } {
  const answers = new Map<Instance, Answer[]>(instances.map((instance) => [instance, []]))
  let isOver = false
  const callers = instances.flatMap((instance) =>
    surfaces.map(async (surface) => {
      const who = somebody()
      while (!isOver) {
        answers.get(instance)?.push(await instance.call(surface, who))
        await pause(50)
      }
    }),
  )
  return {
    stop: async () => {
      isOver = true
      await Promise.all(callers)
      return answers
    },
  }
}

test('when Redis is killed in the middle each instance does as configured, and all count together again when it is back', async () => {
  const spent = somebody()
  await load(limit.tool + 20, (instance) => instance.call('mcp', spent, 'limit'))
  const calling = keepCalling()
  await pause(200)
  await redis.kill()
  for (const instance of instances) await assertOutage(instance, spent)
  for (const [{ whenSharedFails }, answers] of await calling.stop()) {
    const expected = whenSharedFails === 'allow' ? [200] : [200, 503]
    assert.deepEqual(
      answers.filter(({ status }) => !expected.includes(status)),
      [],
    )
  }
  await redis.restart()
  await Promise.all(instances.map(countsAgain))
  await assertExactly({ admitted: limit.tool, asked: 160 }, (instance, who) =>
    instance.call('mcp', who, 'limit'),
  )
})

/** With `allow` even those go on who had no call left. */
async function assertOutage({ whenSharedFails, call }: Instance, spent: Headers): Promise<void> {
  const answers = await Promise.all(surfaces.map((surface) => call(surface, spent, 'limit')))
  const [rpc, wire, problem] = answers
  if (whenSharedFails === 'allow') {
    assert.deepEqual(withStatus(answers, 200).length, surfaces.length, JSON.stringify(answers))
    return
  }
  for (const answer of answers) {
    assert.equal(answer.status, 503, JSON.stringify(answer))
    assertWait(answer, Number(answer.retryAfter))
  }
  const { error } = Object(rpc?.body)
  assert.deepEqual([error.code, error.data.reason], [503, 'limits_unavailable'])
  assert.equal(Object(wire?.body).error.status, 'UNAVAILABLE')
  assert.equal(Object(problem?.body).code, 'limits_unavailable')
}

/** Until somebody who is new here is refused for the first call too many. */
async function countsAgain({ call }: Instance): Promise<void> {
  for (;;) {
    const who = somebody()
    const calls = Array.from({ length: limit.model + 1 }, () => call('v1beta', who, 'limit'))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    if (statuses.filter((status) => status === 429).length === 1) return
    await pause(200)
  }
}
