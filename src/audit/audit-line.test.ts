import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alice, lineOf, recordOf, start } from '../../test/records/audit-lines.ts'
import { columnsOf, columnText, noteLine, parseRecord } from './audit-line.ts'

test('a whole event is read as it was written', () => {
  const record = recordOf({ tokensIn: 12, tokensOut: 0 })
  assert.deepEqual(parseRecord(JSON.stringify(record)), record)
  const named = recordOf({ by: { ...alice, name: 'Alice' } })
  assert.deepEqual(parseRecord(JSON.stringify(named)), named)
  const nobody = recordOf({ by: null, target: null, decision: 'deny' })
  assert.deepEqual(parseRecord(JSON.stringify(nobody)), nobody)
})

const spoiled: Readonly<Record<string, unknown>> = {
  id: 7,
  time: -1,
  surface: 'else',
  action: null,
  target: 3,
  decision: 'perhaps',
  reason: {},
  status: '200',
  durationUs: 0.5,
  needed: [1],
  requestId: undefined,
  revision: null,
  tokensIn: '1',
  tokensOut: Number.MAX_VALUE,
  count: -1,
  by: { ...alice, credential: 'jwt' },
}

for (const [name, value] of Object.entries(spoiled))
  test(`an event with a wrong ${name} is none`, () => {
    assert.equal(parseRecord(JSON.stringify({ ...recordOf(), [name]: value })), undefined)
  })

test('an event by half a caller is none', () => {
  for (const change of [
    { principal: 1 },
    { name: 1 },
    { name: null },
    { issuer: null },
    { client: undefined },
    { expires: 'x' },
    { held: 'a' },
  ])
    assert.equal(parseRecord(JSON.stringify({ ...recordOf(), by: { ...alice, ...change } })), undefined)
})

test('a torn line, an empty one and other JSON are no events', () => {
  const line = lineOf()
  for (const text of ['', line.slice(0, -1), line.slice(1), `${line}${line}`, 'null', '[]', '7', '\u0000'])
    assert.equal(parseRecord(text), undefined, text)
})

test('a note of the log is an event of nobody', () => {
  const note = parseRecord(noteLine({ id: 'x', time: start, reason: 'dropped', count: 12 }))
  assert.deepEqual(
    [note?.action, note?.reason, note?.count, note?.status, note?.by],
    ['audit', 'dropped', 12, 0, null],
  )
})

test('an event is found by its target, or by what was asked for', () => {
  assert.deepEqual(columnsOf(recordOf()), {
    principal: 'alice',
    issuer: 'https://issuer.example',
    action: 'echo',
    decision: 'allow',
    surface: 'tools',
  })
  const { action, principal, issuer } = columnsOf(recordOf({ target: null, by: null }))
  assert.deepEqual([action, principal, issuer], ['tools/call', '', ''])
})

test('an event of the administration API is found by its operation, whatever it was about', () => {
  const action = 'DELETE /api/v1/keys/{id}'
  const about = { surface: 'api', action } as const
  assert.equal(columnsOf(recordOf({ ...about, target: '019a84cf' })).action, action)
  assert.equal(columnsOf(recordOf({ ...about, target: null })).action, action)
})

test('what a column cannot hold is named by its hash, and different texts stay different', () => {
  const kept = ['', 'alice', 'é'.repeat(200)]
  assert.deepEqual(kept.map(columnText), kept)
  const others = [
    'a\u0000b',
    'ab',
    'a\u0000\u0000b',
    'a\ud800b',
    'a\ud801b',
    'a\ufffdb',
    'x'.repeat(401),
    'x'.repeat(402),
  ]
  others.push(columnText('a\u0000b'), columnText('x'.repeat(401)))
  const held = others.map(columnText)
  assert.equal(new Set(held).size, others.length)
  for (const text of held) {
    assert.ok(Buffer.byteLength(text) <= 400 && text.isWellFormed() && !text.includes('\u0000'))
  }
})
