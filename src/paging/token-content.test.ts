import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cursorOf, eventPager, eventTokens, noon, refusal, secret } from '../../test/paging/event-list.ts'
import { positionToBytes } from './key-bytes.ts'
import { positionOf } from './key-value.ts'
import { currentVersion, readContent, type TokenContent, writeContent } from './token-content.ts'
import { headLength, protect } from './token-envelope.ts'
import { deriveTokenKeys } from './token-keys.ts'

const sample: TokenContent = {
  backward: true,
  bounded: false,
  expires: 0xfedcba98,
  list: Buffer.from('listid'),
  filters: Buffer.from('filter'),
  position: Buffer.from('position'),
}

/** A layout of tomorrow, to stand beside today's. */
const readNext = (bytes: Buffer): TokenContent => ({ ...sample, position: bytes })

test('content is written and read without loss', () => {
  const six = fc.uint8Array({ minLength: 6, maxLength: 6 }).map((bytes) => Buffer.from(bytes))
  const contents = fc.record({
    backward: fc.boolean(),
    bounded: fc.boolean(),
    expires: fc.integer({ min: 0, max: 0xffffffff }),
    list: six,
    filters: six,
    position: fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
  })
  fc.assert(
    fc.property(contents, (content) => {
      assert.deepEqual(readContent(currentVersion, writeContent(content)), { ...content })
    }),
  )
})

test('content that is cut before its position is not content', () => {
  const bytes = writeContent({ ...sample, position: Buffer.alloc(0) })
  assert.notEqual(readContent(currentVersion, bytes), undefined)
  for (let length = 0; length < bytes.length; length += 1)
    assert.equal(readContent(currentVersion, bytes.subarray(0, length)), undefined, `${length} bytes`)
})

test('during the grace of a new version the old one is still read by its own reader', () => {
  const readers = { 1: () => sample, 2: readNext }
  assert.equal(readContent(1, Buffer.from('old'), readers), sample)
  assert.deepEqual(readContent(2, Buffer.from('new'), readers), readNext(Buffer.from('new')))
})

test('after the grace the old version is retired, not read by the reader of the new one', () => {
  assert.equal(readContent(1, Buffer.from('old'), { 2: readNext }), 'retired')
})

test('a version of the future is not ours', () => {
  assert.equal(readContent(2, Buffer.from('new'), { 1: () => sample }), undefined)
  assert.equal(readContent(255, writeContent(sample)), undefined)
})

for (const protection of ['signed', 'sealed'] as const) {
  test(`${protection}: on the wire a future version is invalid and a retired one has expired`, () => {
    const pager = eventPager({ tokens: eventTokens({ protection }) })
    assert.equal(pager.parse({ cursor: cursorOfVersion(currentVersion, protection) }).position?.at(-1), 4)
    const future = refusal(() => pager.parse({ cursor: cursorOfVersion(currentVersion + 1, protection) }))
    assert.equal(future.reason, 'invalid_cursor')
    const retired = refusal(() => pager.parse({ cursor: cursorOfVersion(currentVersion - 1, protection) }))
    assert.equal(retired.reason, 'cursor_expired')
  })
}

test('the same layout under a changed order is a mismatch, not a position', () => {
  const cursor = cursorOf(eventPager())
  const turned = eventPager({
    sorts: {
      newest: [
        { column: 'created_at', type: 'timestamptz', direction: 'descending' },
        { column: 'id', type: 'integer', direction: 'ascending', unique: true },
      ],
    },
  })
  assert.equal(refusal(() => turned.parse({ cursor })).reason, 'cursor_mismatch')
})

/** A token with a true proof over any version, as only a holder of the key can make it. */
function cursorOfVersion(version: number, protection: 'signed' | 'sealed'): string {
  const [key] = deriveTokenKeys([secret])
  const { list, filters, sort } = eventPager().parse({})
  const row = { id: 4, created_at: '2026-11-15 10:00:00.100001+00' }
  const position = positionToBytes(positionOf(row, sort), sort)
  const expires = noon / 1000 + 60
  const head = Buffer.of(version, key.id, protection === 'signed' ? 0 : 1)
  assert.equal(head.length, headLength)
  const content = writeContent({ backward: false, bounded: false, expires, list, filters, position })
  return protect(protection, { head, key, audience: '' }, content).toString('base64url')
}
