import { compilePage } from '../src/paging/compile-page.ts'
import { definePager } from '../src/paging/pager.ts'
import { renderBody, renderHeaders } from '../src/paging/render.ts'
import { createTokenCodec } from '../src/paging/token-codec.ts'
import type { Finding } from './findings.ts'

interface Item {
  readonly id: string
  readonly created_at: number
}

/** What the core itself costs, without a database. */
export function benchTokens(): readonly Finding[] {
  return [...benchProtection('signed'), ...benchProtection('sealed'), benchCore()]
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

function benchCore(): Finding {
  const tokens = createTokenCodec({ secrets: ['the secret of the token benchmark!'] })
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
  const source = { sql: 'SELECT id, created_at FROM items', params: [] }
  const value = microseconds(() => {
    const request = pager.parse({ limit: '100', cursor })
    compilePage(pager.plan(request), source, 'postgres')
    const page = pager.finish(request, rows)
    renderBody(page)
    renderHeaders(page, '/items')
  })
  return {
    group: 'core',
    what: 'parse, compile, finish and render with one verify and two mints',
    value,
    unit: 'µs',
  }
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
