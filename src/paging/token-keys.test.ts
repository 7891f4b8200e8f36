import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  cursorOf,
  type Event,
  eventPager,
  eventTokens,
  otherSecret,
  refusal,
  secret,
} from '../../test/paging/event-list.ts'
import type { Pager } from './pager.ts'
import { deriveTokenKeys } from './token-keys.ts'

test('no secret at all is refused', () => {
  const failure = refusal(() => deriveTokenKeys([]))
  assert.equal(failure.code, 'misconfigured')
  assert.match(failure.message, /at least one secret/)
})

test('a secret of 31 characters is refused without being repeated, one of 32 is enough', () => {
  const short = 'k'.repeat(31)
  const failure = refusal(() => deriveTokenKeys([secret, short]))
  assert.equal(failure.code, 'misconfigured')
  assert.match(failure.message, /at least 32 characters/)
  assert.equal(failure.message.includes(short), false)
  assert.equal(deriveTokenKeys([`${short}k`]).length, 1)
})

test('every instance makes the same keys from a secret, and other keys from another', () => {
  const [here] = deriveTokenKeys([secret])
  const [there] = deriveTokenKeys([secret])
  const [other] = deriveTokenKeys([otherSecret])
  for (const purpose of ['sign', 'seal', 'nonce'] as const) {
    assert.ok(here[purpose].equals(there[purpose]), purpose)
    assert.equal(here[purpose].equals(other[purpose]), false, purpose)
  }
})

test('the three keys of one secret are unrelated to each other', () => {
  const [key] = deriveTokenKeys([secret])
  const bytes = [key.sign, key.seal, key.nonce].map((one) => one.export().toString('hex'))
  assert.equal(new Set(bytes).size, 3)
  assert.deepEqual(
    bytes.map((text) => text.length),
    [64, 64, 64],
  )
})

const fleet = {
  before: listWith(secret),
  prepared: listWith(secret, otherSecret),
  switched: listWith(otherSecret, secret),
  after: listWith(otherSecret),
}

test('while keys rotate, each instance reads the cursors of every instance one step away', () => {
  const steps = [fleet.before, fleet.prepared, fleet.switched, fleet.after]
  for (const [index, pager] of steps.entries())
    for (const neighbour of steps.slice(Math.max(0, index - 1), index + 2))
      assert.deepEqual(pager.parse({ cursor: cursorOf(neighbour) }).position?.at(-1), 4)
})

test('the first secret mints, so its cursors outlive the second one only', () => {
  assert.equal(reasonOf(fleet.after, cursorOf(fleet.prepared)), 'invalid_cursor')
  assert.equal(reasonOf(fleet.before, cursorOf(fleet.switched)), 'invalid_cursor')
})

test('a cursor of a retired or unknown secret is invalid', () => {
  assert.equal(reasonOf(fleet.after, cursorOf(fleet.before)), 'invalid_cursor')
  assert.equal(reasonOf(fleet.before, cursorOf(fleet.after)), 'invalid_cursor')
})

test('two secrets that share their id byte are both tried, and neither opens the cursors of the other', () => {
  const [{ id }] = deriveTokenKeys([secret])
  const twin = Array.from({ length: 5000 }, (_, index) => `${otherSecret} ${index}`).find(
    (candidate) => deriveTokenKeys([candidate])[0].id === id,
  )
  assert.ok(twin !== undefined)
  const [first, second, both] = [listWith(secret), listWith(twin), listWith(twin, secret)]
  assert.equal(cursorOf(first).slice(0, 4), cursorOf(second).slice(0, 4))
  assert.equal(reasonOf(second, cursorOf(first)), 'invalid_cursor')
  assert.equal(reasonOf(first, cursorOf(second)), 'invalid_cursor')
  for (const cursor of [cursorOf(first), cursorOf(second)])
    assert.deepEqual(both.parse({ cursor }).position?.at(-1), 4)
})

function listWith(...secrets: readonly string[]): Pager<Event> {
  return eventPager({ tokens: eventTokens({ secrets }) })
}

function reasonOf(pager: Pager<Event>, cursor: string): unknown {
  return refusal(() => pager.parse({ cursor })).reason
}
