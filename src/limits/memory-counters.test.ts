import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Charge, Overrun } from './counters.ts'
import { memoryCounters } from './memory-counters.ts'

const second = (key: string, limit = 1): Charge => ({ key, limit, amount: 1, windowMs: 1000 })

test('a window opens with its first charge and takes exactly its limit', () => {
  let time = 500
  const counters = memoryCounters(() => time)
  for (let call = 0; call < 3; call += 1) assert.equal(counters.charge([second('a', 3)]), undefined)
  time = 1499
  assert.deepEqual(counters.charge([second('a', 3)]), { index: 0, remainingMs: 1 })
  time = 1500
  assert.equal(counters.charge([second('a', 3)]), undefined)
})

test('of several charges that are over, the one with the longest wait is told', () => {
  let time = 0
  const counters = memoryCounters(() => time)
  const long = { ...second('long'), windowMs: 5000 }
  counters.charge([second('short'), long])
  time = 400
  const over = { index: 1, remainingMs: 4600 }
  assert.deepEqual(counters.charge([second('short'), long, second('other')]), over)
  assert.equal(counters.charge([second('other')]), undefined, 'what was refused was charged nowhere')
})

test('a charge of nothing only asks', () => {
  const counters = memoryCounters(() => 0)
  const ask = { ...second('a', 10), amount: 0 }
  assert.equal(counters.charge([ask]), undefined)
  assert.equal(counters.size(), 0)
  counters.charge([{ ...second('a', Number.MAX_SAFE_INTEGER), amount: 25 }])
  assert.deepEqual(counters.charge([ask]), { index: 0, remainingMs: 1000 })
})

test('windows that ended are forgotten while others open', () => {
  let time = 0
  const counters = memoryCounters(() => time)
  for (; time < 100_000; time += 1) counters.charge([second(`key ${time}`)])
  assert.ok(counters.size() < 4000, `${counters.size()} windows, of which 1000 are open`)
})

test('more windows than it may hold push out the oldest', () => {
  const counters = memoryCounters(() => 0, 10)
  for (let key = 0; key < 100; key += 1) counters.charge([second(String(key))])
  assert.equal(counters.size(), 10)
  assert.equal(counters.charge([second('0')]), undefined)
  assert.notEqual(counters.charge([second('99')]), undefined)
})

interface Step {
  readonly after: number
  readonly charges: readonly Charge[]
}

const windows: Readonly<Record<string, number>> = { a: 50, b: 90, c: 200 }
const limits: Readonly<Record<string, number>> = { a: 2, b: 3, c: 5 }

const steps = fc.array(
  fc.record<Step>({
    after: fc.nat(40),
    charges: fc
      .uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 })
      .chain((keys) =>
        fc.tuple(
          ...keys.map((key) =>
            fc
              .integer({ min: 0, max: 3 })
              .map((amount) => ({ key, amount, limit: limits[key] ?? 0, windowMs: windows[key] ?? 0 })),
          ),
        ),
      ),
  }),
  { maxLength: 60 },
)

/** What should happen, from the whole history of what was let in. */
function expected(
  history: readonly (readonly [number, Charge])[],
  { charges, at }: { charges: readonly Charge[]; at: number },
): Overrun | undefined {
  const waits = charges.map(({ key, limit }) => {
    let opened = Number.NEGATIVE_INFINITY
    let used = 0
    for (const [time, charge] of history) {
      if (charge.key !== key || charge.amount === 0) continue
      if (time >= opened + charge.windowMs) [opened, used] = [time, 0]
      used += charge.amount
    }
    const remaining = opened + (windows[key] ?? 0) - at
    return remaining > 0 && used >= limit ? remaining : 0
  })
  const longest = Math.max(...waits)
  return longest === 0 ? undefined : { index: waits.indexOf(longest), remainingMs: longest }
}

test('whatever is charged and when, no window takes more than its limit, and a refused call is charged nowhere', () => {
  fc.assert(
    fc.property(steps, (drawn) => {
      let time = 0
      const counters = memoryCounters(() => time)
      const history: (readonly [number, Charge])[] = []
      for (const { after, charges } of drawn) {
        time += after
        assert.deepEqual(counters.charge(charges), expected(history, { charges, at: time }))
        if (expected(history, { charges, at: time }) === undefined)
          history.push(...charges.map((charge) => [time, charge] as const))
      }
    }),
    { numRuns: 500 },
  )
})
