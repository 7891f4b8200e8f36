import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eventTokens, noon, otherSecret, refusal, secret } from '../../test/paging/event-list.ts'
import { createTokenCodec, type TokenCodec } from './token-codec.ts'
import type { TokenContent } from './token-content.ts'

type Mintable = Omit<TokenContent, 'expires'>

const place: Mintable = {
  backward: false,
  bounded: false,
  list: Buffer.from('listid'),
  filters: Buffer.from('filter'),
  position: Buffer.from('the position'),
}

const both = ['signed', 'sealed'] as const
const hour = 3600
const day = 24 * hour

const contents: fc.Arbitrary<Mintable> = fc.record({
  backward: fc.boolean(),
  bounded: fc.boolean(),
  list: bytesOf(6, 6),
  filters: bytesOf(6, 6),
  position: bytesOf(0, 300),
})

for (const protection of both) {
  const tokens = eventTokens({ protection })
  const token = tokens.mint(place, 'alice')

  test(`${protection}: mint, open, mint is the identity, and the token needs no escaping in a URL`, () => {
    fc.assert(
      fc.property(contents, fc.string({ unit: 'grapheme' }), (content, audience) => {
        const minted = tokens.mint(content, audience)
        assert.match(minted, /^[A-Za-z0-9_-]{1,2048}$/)
        assert.equal(new URLSearchParams({ cursor: minted }).toString(), `cursor=${minted}`)
        const opened = contentOf(tokens, minted, audience)
        assert.deepEqual({ ...opened, expires: 0 }, { ...content, expires: 0 })
        assert.equal(tokens.mint(opened, audience), minted)
      }),
    )
  })

  test(`${protection}: every single-character substitution is invalid`, () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (let at = 0; at < token.length; at += 1)
      for (const character of alphabet)
        if (character !== token[at])
          refuses(tokens, `${token.slice(0, at)}${character}${token.slice(at + 1)}`)
  })

  test(`${protection}: every flipped bit is invalid`, () => {
    const bytes = Buffer.from(token, 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      refuses(tokens, flipped.toString('base64url'))
    }
  })

  test(`${protection}: every truncation and every repeated part is invalid`, () => {
    for (let length = 0; length < token.length; length += 1) {
      refuses(tokens, token.slice(0, length))
      refuses(tokens, token.slice(token.length - length - 1).repeat(2))
      refuses(tokens, `${token}${token.slice(0, length + 1)}`)
    }
  })

  test(`${protection}: spellings that Node would decode to the same bytes are invalid`, () => {
    const decorated = ['=', '==', '!', ' ', '\n', '.', '%', '\0', '%3D', '\u00e9', 'A'].flatMap((extra) => [
      `${token}${extra}`,
      `${extra}${token}`,
      `${token.slice(0, 9)}${extra}${token.slice(9)}`,
    ])
    for (const spelling of decorated) refuses(tokens, spelling)
  })
}

test('the standard alphabet of base64 is invalid where it differs', () => {
  const tokens = eventTokens()
  const minted = Array.from({ length: 20 }, (_, index) =>
    tokens.mint({ ...place, position: Buffer.from(`position ${index}`) }, 'alice'),
  )
  const different = minted.filter((token) => /[-_]/.test(token))
  assert.ok(different.length > 0)
  for (const token of different) refuses(tokens, token.replaceAll('-', '+').replaceAll('_', '/'))
})

test('of all spellings of the last character only the one we mint is a token', () => {
  const tokens = eventTokens()
  for (const size of [0, 1, 2]) {
    const token = tokens.mint({ ...place, position: Buffer.alloc(size) }, 'alice')
    const bytes = Buffer.from(token, 'base64url')
    const same = Array.from(
      { length: 128 },
      (_, code) => token.slice(0, -1) + String.fromCharCode(code),
    ).filter((spelling) => Buffer.from(spelling, 'base64url').equals(bytes) && spelling !== token)
    if (bytes.length % 3 !== 0) assert.ok(same.length >= 3, 'there are other spellings to refuse')
    for (const spelling of same) refuses(tokens, spelling)
    contentOf(tokens, token, 'alice')
  }
})

test('what is far too long is invalid before anything is decoded', () => {
  for (const text of ['A'.repeat(2 ** 20), 'A'.repeat(2049), '\0'.repeat(2 ** 20)])
    refuses(eventTokens(), text)
})

test('any string is invalid, and none crashes', () => {
  const characters = fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes))
  const tokens = eventTokens()
  fc.assert(
    fc.property(characters, (text) => refuses(tokens, text)),
    { numRuns: 500 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) =>
      refuses(tokens, Buffer.from(bytes).toString('base64url')),
    ),
    { numRuns: 500 },
  )
})

test('a token opens for its own audience only', () => {
  const tokens = eventTokens()
  const token = tokens.mint(place, 'alice')
  for (const audience of ['', 'Alice', 'bobby', 'alice ']) refuses(tokens, token, audience)
})

test('both protections open each other\u2019s tokens, so a list can change over', () => {
  const [signed, sealed] = both.map((protection) => eventTokens({ protection }))
  assert.ok(signed !== undefined && sealed !== undefined)
  assert.deepEqual(contentOf(signed, sealed.mint(place, ''), '').position, place.position)
  assert.deepEqual(contentOf(sealed, signed.mint(place, ''), '').position, place.position)
})

test('a sealed token does not show the position, a signed one does', () => {
  const shown = both.map((protection) =>
    Buffer.from(eventTokens({ protection }).mint(place, ''), 'base64url').includes(place.position),
  )
  assert.deepEqual(shown, [true, false])
})

test('a position that makes the token longer than 2048 characters is refused when minted', () => {
  const tokens = eventTokens()
  assert.equal(tokens.mint({ ...place, position: Buffer.alloc(1500) }, '').length, 2048)
  const failure = refusal(() => tokens.mint({ ...place, position: Buffer.alloc(1501) }, ''))
  assert.equal(failure.code, 'internal')
  assert.match(failure.message, /too long for a page token of 2048 characters/)
})

test('a token is good until the second before it expires, and never after', () => {
  let now = noon
  const tokens = createTokenCodec({ secrets: [secret], ttlSeconds: day, now: () => now })
  const token = tokens.mint(place, '')
  const { expires } = contentOf(tokens, token, '')
  now = expires * 1000 - 1
  contentOf(tokens, token, '')
  for (const late of [0, 1, 1000, 1000 * day]) {
    now = expires * 1000 + late
    assert.deepEqual(tokens.open(token, ''), { refused: 'cursor_expired' })
  }
})

test('the default lifetime is three days, and six hours at most are added to it', () => {
  const { expires } = contentOf(eventTokens(), eventTokens().mint(place, ''), '')
  assert.equal(expires % (6 * hour), 0)
  assert.ok(expires >= noon / 1000 + 3 * day && expires < noon / 1000 + 3 * day + 6 * hour)
})

test('a lifetime is never cut short, and is lengthened by no more than a twelfth', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 * day }), fc.nat(2_000_000_000), (ttlSeconds, nowSeconds) => {
      const tokens = createTokenCodec({ secrets: [secret], ttlSeconds, now: () => nowSeconds * 1000 + 999 })
      const lifetime = contentOf(tokens, tokens.mint(place, ''), '').expires - nowSeconds
      assert.ok(lifetime >= ttlSeconds && lifetime <= ttlSeconds + Math.max(1, ttlSeconds / 12))
    }),
  )
})

for (const protection of both) {
  test(`${protection}: two tokens minted within one step are the same bytes, and differ in the next`, () => {
    let now = noon + 1000
    const tokens = createTokenCodec({ secrets: [secret], protection, now: () => now })
    const first = tokens.mint(place, '')
    now = noon + 6 * hour * 1000
    assert.equal(tokens.mint(place, ''), first)
    now += 1000
    assert.notEqual(tokens.mint(place, ''), first)
  })
}

test('an instance whose clock is a minute behind or ahead reads a fresh token', () => {
  const token = eventTokens({ ttlSeconds: hour }).mint(place, '')
  for (const skew of [-60_000, 60_000]) contentOf(eventTokens({ now: () => noon + skew }), token, '')
})

test('a lifetime of 0 is for ever', () => {
  const token = eventTokens({ ttlSeconds: 0 }).mint(place, '')
  contentOf(eventTokens({ now: () => noon + 1e15 }), token, '')
})

test('a forged token is invalid, not expired, even when it says that it has expired', () => {
  const late = eventTokens({ now: () => noon + 400 * day * 1000 })
  refuses(late, createTokenCodec({ secrets: [otherSecret], now: () => noon }).mint(place, ''), '')
})

test('a lifetime that is not a whole number of seconds, or that no token can hold, is refused at start', () => {
  for (const ttlSeconds of [-1, 1.5, Number.NaN, Infinity, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    const failure = refusal(() => eventTokens({ ttlSeconds }))
    assert.equal(failure.code, 'misconfigured')
    assert.match(failure.message, /the lifetime of page tokens must be/)
  }
})

function bytesOf(minLength: number, maxLength: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ minLength, maxLength }).map((bytes) => Buffer.from(bytes))
}

function contentOf(tokens: TokenCodec, token: string, audience: string): TokenContent {
  const opened = tokens.open(token, audience)
  assert.ok('content' in opened, 'the token was refused')
  return opened.content
}

function refuses(tokens: TokenCodec, text: string, audience = 'alice'): void {
  assert.deepEqual(tokens.open(text, audience), { refused: 'invalid_cursor' })
}
