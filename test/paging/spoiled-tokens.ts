import assert from 'node:assert/strict'
import type { Pager } from '../../src/paging/pager.ts'
import {
  headLength,
  type Protection,
  protect,
  protections,
  unprotect,
} from '../../src/paging/token-envelope.ts'
import { deriveTokenKeys } from '../../src/paging/token-keys.ts'
import type { Dice } from './dice.ts'
import {
  type Event,
  eventPager,
  eventsUpTo,
  eventTokens,
  noon,
  otherSecret,
  secret,
  walkLinks,
} from './event-list.ts'

/** A way to spoil a token, and the name that its refusal must have. */
export interface Spoil {
  readonly reason: 'invalid_cursor' | 'cursor_expired' | 'cursor_mismatch'
  readonly make: (pool: Pool, random: Dice) => string
}

/** Tokens that are good for Alice's calls, and tokens that are good for something else. */
export interface Pool {
  readonly valid: readonly string[]
  readonly list: readonly string[]
  readonly filters: readonly string[]
  readonly principal: readonly string[]
  readonly key: readonly string[]
  readonly protection: readonly string[]
  readonly expired: readonly string[]
}

export const alice = { principal: 'alice', filters: { kind: 'call' } } as const

export function listOf(protection: Protection, id = 'events', at: number = noon): Pager<Event> {
  return eventPager({ id, isPrivate: true, tokens: eventTokens({ protection, now: () => at }) })
}

export function poolOf(protection: Protection): Pool {
  const pager = listOf(protection)
  const otherKey = eventPager({
    isPrivate: true,
    tokens: eventTokens({ protection, secrets: [otherSecret] }),
  })
  return {
    valid: tokensOf(pager, alice),
    list: tokensOf(listOf(protection, 'sessions'), alice),
    filters: tokensOf(pager, { ...alice, filters: { kind: 'login' } }),
    principal: tokensOf(pager, { ...alice, principal: 'bobby' }),
    key: tokensOf(otherKey, alice),
    protection: tokensOf(listOf(protection === 'signed' ? 'sealed' : 'signed'), alice),
    expired: tokensOf(listOf(protection, 'events', noon - 4 * 86_400_000), alice),
  }
}

export const spoils: Readonly<Record<string, Spoil>> = {
  'any bytes': forged((_, random) => random.bytes(random.below(150)).toString('latin1')),
  'bytes of the right length': forged((pool, random) =>
    text(random.bytes(bytesOf(random.pick(pool.valid)).length)),
  ),
  'a true head and any body': forged((pool, random) => {
    const own = bytesOf(random.pick(pool.valid))
    return text(own.subarray(0, headLength), random.bytes(own.length - headLength))
  }),
  'any head and a true body': forged((pool, random) =>
    text(random.bytes(headLength), bytesOf(random.pick(pool.valid)).subarray(headLength)),
  ),
  'one flipped bit': forged((pool, random) => flipped(random.pick(pool.valid), 1, random)),
  'many flipped bits': forged((pool, random) =>
    flipped(random.pick(pool.valid), 2 + random.below(30), random),
  ),
  'a changed character': forged((pool, random) => {
    const [token, at] = cut(random.pick(pool.valid), random)
    return `${token.slice(0, at)}${random.pick('ABCXYZabcxyz0189-_'.split(''))}${token.slice(at + 1)}`
  }),
  'cut at the end': forged((pool, random) => {
    const [token, at] = cut(random.pick(pool.valid), random)
    return token.slice(0, at)
  }),
  'cut at the start': forged((pool, random) => {
    const [token, at] = cut(random.pick(pool.valid), random)
    return token.slice(at + 1)
  }),
  'cut in the middle': forged((pool, random) => {
    const [token, at] = cut(random.pick(pool.valid), random)
    return `${token.slice(0, at)}${token.slice(at + 1 + random.below(8))}`
  }),
  continued: forged(
    (pool, random) => `${random.pick(pool.valid)}${text(random.bytes(1 + random.below(40)))}`,
  ),
  'continued with what decoders skip': forged(
    (pool, random) =>
      `${random.pick(pool.valid)}${random.pick(['=', '==', '!', ' ', '\n', '.', '%', '+', '\0'])}`,
  ),
  doubled: forged((pool, random) => `${random.pick(pool.valid)}${random.pick(pool.valid)}`),
  'two of our tokens spliced': forged((pool, random) => {
    const [token, at] = cut(random.pick(pool.valid), random)
    return `${token.slice(0, at)}${random.pick(pool.valid).slice(at)}`
  }),
  'our token spliced with a foreign one': forged((pool, random) => {
    const [token, at] = cut(random.pick(pool.valid), random)
    const other = random.pick(random.pick([pool.list, pool.filters, pool.principal, pool.key, pool.expired]))
    const [left, right] = random.below(2) === 0 ? [token, other] : [other, token]
    const spliced = `${left.slice(0, at)}${right.slice(at)}`
    return spliced === left || spliced === right ? `${spliced}A` : spliced
  }),
  'the head of a foreign token': forged((pool, random) => {
    const other = bytesOf(random.pick(random.pick([pool.key, pool.protection])))
    return text(other.subarray(0, headLength), bytesOf(random.pick(pool.valid)).subarray(headLength))
  }),
  'the proof of another of our tokens': forged((pool, random) => {
    const [own, other] = [bytesOf(random.pick(pool.valid)), bytesOf(random.pick(pool.valid))]
    return text(own.subarray(0, -16), other.subarray(-16))
  }),
  'another key': forged((pool, random) => random.pick(pool.key)),
  'another principal': forged((pool, random) => random.pick(pool.principal)),
  'a version of the future': forged((pool, random) =>
    asVersion(2 + random.below(254), random.pick(pool.valid)),
  ),
  'a version no longer read': {
    reason: 'cursor_expired',
    make: (pool, random) => asVersion(0, random.pick(pool.valid)),
  },
  'an expired token': { reason: 'cursor_expired', make: (pool, random) => random.pick(pool.expired) },
  'another list': { reason: 'cursor_mismatch', make: (pool, random) => random.pick(pool.list) },
  'other filters': { reason: 'cursor_mismatch', make: (pool, random) => random.pick(pool.filters) },
}

function forged(make: Spoil['make']): Spoil {
  return { reason: 'invalid_cursor', make }
}

/** Every cursor that a walk meets, in both directions. */
function tokensOf(pager: Pager<Event>, context: { principal: string; filters: object }): string[] {
  const pages = walkLinks({ pager, rows: eventsUpTo(60), context }, 'next', { limit: '1' })
  return pages.flatMap(({ links }) =>
    [links.prev, links.next].flatMap((link) => link?.find(([name]) => name === 'cursor')?.[1] ?? []),
  )
}

function bytesOf(token: string): Buffer {
  return Buffer.from(token, 'base64url')
}

function text(...parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString('base64url')
}

function cut(token: string, random: Dice): [token: string, at: number] {
  return [token, random.below(token.length)]
}

function flipped(token: string, count: number, random: Dice): string {
  const bytes = bytesOf(token)
  const bits = new Set(Array.from({ length: count }, () => random.below(bytes.length * 8)))
  for (const bit of bits) bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
  return text(bytes)
}

const [key] = deriveTokenKeys([secret])

/** The same content with a true proof over another version, as only a holder of the key can make it. */
function asVersion(version: number, token: string): string {
  const bytes = bytesOf(token)
  const protection = bytes[2] === protections.sealed ? 'sealed' : 'signed'
  const own = { head: bytes.subarray(0, headLength), key, audience: alice.principal }
  const content = unprotect(protection, own, bytes.subarray(headLength))
  assert.ok(content !== undefined)
  const head = Buffer.of(version, ...bytes.subarray(1, headLength))
  return text(protect(protection, { ...own, head }, content))
}
