import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { otherSecret, secret } from '../../test/paging/event-list.ts'
import { type Envelope, headLength, type Protection, protect, unprotect } from './token-envelope.ts'
import { deriveTokenKeys } from './token-keys.ts'

const [key, otherKey] = deriveTokenKeys([secret, otherSecret])
const envelope: Envelope = { head: Buffer.of(1, key.id, 0), key, audience: 'alice' }
const both = ['signed', 'sealed'] as const satisfies readonly Protection[]
const content = Buffer.from('the position of a row')

for (const protection of both) {
  test(`${protection}: what was protected comes back, byte for byte`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: 'grapheme' }), (bytes, audience) => {
        const own = { ...envelope, audience }
        const whole = protect(protection, own, Buffer.from(bytes))
        assert.deepEqual(whole.subarray(0, headLength), envelope.head)
        assert.deepEqual(unprotect(protection, own, whole.subarray(headLength)), Buffer.from(bytes))
      }),
    )
  })

  test(`${protection}: another key, head or audience opens nothing`, () => {
    assert.ok(otherKey !== undefined)
    const body = bodyOf(protection, envelope)
    const strangers: readonly Partial<Envelope>[] = [
      { key: otherKey },
      { head: Buffer.of(2, key.id, 0) },
      { head: Buffer.of(1, key.id ^ 1, 0) },
      { head: Buffer.of(1, key.id, 1) },
      { audience: '' },
      { audience: 'alic' },
      { audience: 'alicee' },
      { audience: 'bobby' },
    ]
    for (const stranger of strangers)
      assert.equal(unprotect(protection, { ...envelope, ...stranger }, body), undefined)
  })

  test(`${protection}: every flipped bit is noticed`, () => {
    const body = bodyOf(protection, envelope)
    for (let bit = 0; bit < body.length * 8; bit += 1) {
      const flipped = Buffer.from(body)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.equal(unprotect(protection, envelope, flipped), undefined, `bit ${bit}`)
    }
  })

  test(`${protection}: every shorter body is refused, down to nothing`, () => {
    const body = bodyOf(protection, envelope)
    for (let length = 0; length < body.length; length += 1) {
      assert.equal(unprotect(protection, envelope, body.subarray(0, length)), undefined)
      assert.equal(unprotect(protection, envelope, body.subarray(body.length - length)), undefined)
    }
  })

  test(`${protection}: the same content gives the same bytes, for one audience only`, () => {
    assert.deepEqual(bodyOf(protection, envelope), bodyOf(protection, envelope))
    assert.notDeepEqual(bodyOf(protection, { ...envelope, audience: 'bob' }), bodyOf(protection, envelope))
  })

  test(`${protection}: the other protection does not read it`, () => {
    const other = protection === 'signed' ? 'sealed' : 'signed'
    assert.equal(unprotect(other, envelope, bodyOf(protection, envelope)), undefined)
  })
}

test('an audience cannot lend its last byte to the head', () => {
  const whole = protect('signed', { ...envelope, audience: 'ab', head: Buffer.from('123') }, content)
  const shifted = { ...envelope, audience: 'a', head: Buffer.from('b12') }
  const body = Buffer.concat([Buffer.from('3'), whole.subarray(headLength)])
  assert.equal(unprotect('signed', shifted, body), undefined)
})

test('a signed token shows its content, a sealed one does not', () => {
  assert.ok(bodyOf('signed', envelope).includes(content))
  assert.equal(bodyOf('sealed', envelope).includes(content.subarray(0, 4)), false)
})

test('no two contents, and no two audiences, share a nonce', () => {
  const nonces = Array.from({ length: 1000 }, (_, index) => nonceOf(envelope, Buffer.from(String(index))))
  const foreign = nonceOf({ ...envelope, audience: 'bob' }, Buffer.from('0'))
  assert.equal(new Set([...nonces, foreign]).size, 1001)
})

function bodyOf(protection: Protection, own: Envelope): Buffer {
  return protect(protection, own, content).subarray(headLength)
}

function nonceOf(own: Envelope, plain: Buffer): string {
  return protect('sealed', own, plain)
    .subarray(headLength, headLength + 12)
    .toString('hex')
}
