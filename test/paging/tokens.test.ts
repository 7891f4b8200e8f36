import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../src/failure/failure.ts'
import { dice } from './dice.ts'
import { alice, listOf, poolOf, spoils } from './spoiled-tokens.ts'

// Of hundreds of thousands of refusals nobody reads where they were thrown.
Error.stackTraceLimit = 0

const rounds = 100_000
const seed = Number(process.env.POSTERN_TEST_SEED ?? 20_261_115)

for (const protection of ['signed', 'sealed'] as const)
  test(`${protection}: ${rounds} random or spoiled tokens are all refused by name, and none crashes`, () => {
    const random = dice(seed)
    const pager = listOf(protection)
    const pool = poolOf(protection)
    const good = new Set(pool.valid)
    const kinds = Object.entries(spoils)
    const tried = new Map<string, number>()
    for (let refused = 0; refused < rounds; ) {
      const [kind, { reason, make }] = random.pick(kinds)
      const cursor = make(pool, random)
      if (good.has(cursor)) continue
      const answer = outcome(() => pager.parse({ cursor }, alice))
      if (answer !== reason)
        assert.fail(`${kind} was ${answer}: POSTERN_TEST_SEED=${seed}, token ${JSON.stringify(cursor)}`)
      tried.set(kind, (tried.get(kind) ?? 0) + 1)
      refused += 1
    }
    for (const [kind] of kinds) assert.ok((tried.get(kind) ?? 0) > rounds / 100, `${kind} was hardly tried`)
    assert.ok(good.size > 100)
    for (const cursor of good)
      assert.equal(
        outcome(() => pager.parse({ cursor }, alice)),
        'accepted',
      )
  })

function outcome(act: () => unknown): string {
  try {
    act()
    return 'accepted'
  } catch (error) {
    return error instanceof Failure && error.code === 'invalid-request' ? String(error.reason) : String(error)
  }
}
