import { definePager } from '../src/paging/pager.ts'
import { renderBody, renderHeaders } from '../src/paging/render.ts'
import { createTokenCodec, type TokenCodec } from '../src/paging/token-codec.ts'
import type { TokenContent } from '../src/paging/token-content.ts'
import type { Finding } from './findings.ts'

interface Item {
  readonly id: string
  readonly created_at: number
}

/** What the core itself costs, without a database. */
export function benchTokens(): readonly Finding[] {
  return [...benchProtection('signed'), ...benchProtection('sealed'), ...benchCore()]
}

function benchProtection(protection: 'signed' | 'sealed'): readonly Finding[] {
  const codec = createTokenCodec({ secrets: ['the secret of the token benchmark!'], protection })
  const content = {
    backward: false,
    bounded: false,
    list: Buffer.alloc(6, 1),
    filters: Buffer.alloc(6, 2),
    position: Buffer.alloc(48, 3),
  }
  const token = codec.mint(content, 'ada')
  const mint = microseconds(() => codec.mint(content, 'ada'))
  const verify = microseconds(() => codec.open(token, 'ada'))
  const group = `${protection} token`
  return [
    { group, what: 'mint', value: mint, unit: 'µs' },
    { group, what: 'verify', value: verify, unit: 'µs' },
    { group, what: 'mint + verify', value: mint + verify, unit: 'µs', atMost: 50 },
  ]
}

function benchCore(): readonly Finding[] {
  const whole = coreMicroseconds(createTokenCodec({ secrets: ['the secret of the token benchmark!'] }))
  const bare = coreMicroseconds(unprotected())
  const group = 'core, page of 100'
  return [
    { group, what: 'parse, plan, finish, render, with one verify and two mints', value: whole, unit: 'µs' },
    { group, what: 'the same without token work', value: bare, unit: 'µs', atMost: 10 },
  ]
}

/** Remembers what it minted: the cost of a page without the cost of protecting tokens. */
function unprotected(): TokenCodec {
  const minted = new Map<string, TokenContent>()
  return {
    mint: (content) => {
      const token = content.backward ? 'back' : 'on'
      minted.set(token, { ...content, expires: 0 })
      return token
    },
    open: (token) => {
      const content = minted.get(token)
      return content === undefined ? { refused: 'invalid_cursor' } : { content }
    },
  }
}

function coreMicroseconds(tokens: TokenCodec): number {
  const pager = definePager<Item>({
    id: 'core',
    style: 'cursor',
    tokens,
    sorts: {
      newest: [
        { column: 'created_at', type: 'integer', direction: 'descending' },
        { column: 'id', type: 'text', direction: 'descending', unique: true },
      ],
    },
  })
  const rows = Array.from({ length: 101 }, (_, index) => ({
    id: `item-${index}`,
    created_at: 1_700_000_000_000_000,
  }))
  const cursor = pager.finish(pager.parse({ limit: '100' }), rows).next ?? undefined
  return microseconds(() => {
    const request = pager.parse({ limit: '100', cursor })
    pager.plan(request)
    const page = pager.finish(request, rows)
    renderBody(page)
    renderHeaders(page, '/items')
  })
}

/** The fastest of several series: what it costs when nothing else disturbs. */
function microseconds(work: () => unknown): number {
  const series = Array.from({ length: 15 }, () => {
    const start = process.hrtime.bigint()
    for (let count = 0; count < 2000; count += 1) work()
    return Number(process.hrtime.bigint() - start) / 2000 / 1000
  })
  return Math.min(...series)
}
