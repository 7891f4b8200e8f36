import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redactNames } from './redact-names.ts'

const redacted = '[redacted]'

test('a secret is replaced by its name at any depth, in objects, lists, maps and sets', () => {
  const value = {
    user: { id: 7, password: 'p' },
    list: [{ access_token: 't', kept: 1 }],
    map: new Map<unknown, unknown>([
      ['apiKey', 'k'],
      ['kept', 2],
    ]),
    set: new Set([{ secret: { deep: 's' } }]),
  }
  assert.deepEqual(redactNames(value), {
    user: { id: 7, password: redacted },
    list: [{ access_token: redacted, kept: 1 }],
    map: { apiKey: redacted, kept: 2 },
    set: [{ secret: redacted }],
  })
})

test('whatever stands under a secret name is replaced whole, except that there is none or a flag', () => {
  const value = {
    token: { a: 'x' },
    key: ['x'],
    code: 123456,
    next_cursor: null,
    hasPassword: true,
    totalTokens: 42,
    jwk: { kty: 'EC', d: 'x' },
  }
  assert.deepEqual(redactNames(value), {
    token: redacted,
    key: redacted,
    code: redacted,
    next_cursor: null,
    hasPassword: true,
    totalTokens: 42,
    jwk: redacted,
  })
})

test('a pair and a labelled value are known by their label', () => {
  assert.deepEqual(redactNames(['authorization', 'x']), ['authorization', redacted])
  assert.deepEqual(redactNames({ name: 'X-Api-Key', value: 'x' }), { name: 'X-Api-Key', value: redacted })
  assert.deepEqual(redactNames({ name: 'color', value: 'red' }), { name: 'color', value: 'red' })
})

test('bodies are not logged, and of headers only harmless ones', () => {
  const value = {
    body: { text: 'hello' },
    headers: { Authorization: 'x', 'Content-Type': 'text/plain', 'x-other': 'y' },
  }
  assert.deepEqual(redactNames(value), { body: '[not logged]', headers: { 'content-type': 'text/plain' } })
})

test('a cycle is cut where it closes, and a shared object is shown twice', () => {
  const shared = { a: 1 }
  const cyclic: Record<string, unknown> = { one: shared, two: shared }
  cyclic.self = cyclic
  cyclic.list = [cyclic]
  assert.deepEqual(redactNames(cyclic), {
    one: { a: 1 },
    two: { a: 1 },
    self: '[circular]',
    list: ['[circular]'],
  })
})

test('very deep, very wide and very long values are cut, and short ones beside them stay', () => {
  let deep: object = { bottom: true }
  for (let level = 0; level < 100_000; level += 1) deep = { deep }
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`f${index}`, { index }]))
  const long = Array.from({ length: 1_000_000 }, () => [1])
  const text = JSON.stringify(redactNames({ deep, wide, long, text: 'x'.repeat(1_000_000), kept: 'yes' }))
  assert.ok(text.length < 20_000, `${text.length} characters`)
  assert.match(text, /"\[cut\]"/)
  assert.match(text, /"\[4900 more\]"/)
  assert.match(text, /"\[text of 1000000 characters left out\]"/)
  assert.match(text, /"kept":"yes"/)
})

test('many wide levels do not multiply: the number of objects is bounded', () => {
  let bush: unknown = { leaf: 1 }
  for (let level = 0; level < 7; level += 1) bush = Array.from({ length: 100 }, () => bush)
  assert.ok(JSON.stringify(redactNames(bush)).length < 50_000)
})

test('many long texts do not add up to a giant line, and a short one before them stays', () => {
  const line = JSON.stringify(
    redactNames({ kept: 'yes', texts: Array.from({ length: 100 }, () => 'x'.repeat(16_000)) }),
  )
  assert.ok(line.length < 150_000, `${line.length} characters`)
  assert.match(line, /"kept":"yes"/)
})

test('what follows a flag for a secret in the arguments of a command is replaced', () => {
  assert.deepEqual(redactNames(['serve', '--token', 'x', '--port', '80']), [
    'serve',
    '--token',
    redacted,
    '--port',
    '80',
  ])
})

test('what JSON does not know is shown as text or left out', () => {
  const value = {
    when: new Date(0),
    big: 12n,
    bytes: Buffer.from('secret'),
    buffer: new ArrayBuffer(3),
    search: new URLSearchParams('a=secret'),
    call: () => 1,
    nothing: undefined,
  }
  assert.equal(
    JSON.stringify(redactNames(value)),
    '{"when":"1970-01-01T00:00:00.000Z","big":"12","bytes":"[6 bytes]","buffer":"[3 bytes]","search":"[1 query parameters]"}',
  )
})

test('what an object says of itself with toJSON is redacted, too', () => {
  assert.deepEqual(redactNames({ toJSON: () => ({ token: 'x', a: 1 }) }), { token: redacted, a: 1 })
})

test('a getter, toJSON or proxy that throws does not stop the line', () => {
  const value = {
    get broken(): string {
      throw new Error('no')
    },
    json: {
      toJSON(): never {
        throw new Error('no')
      },
    },
    proxy: new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error('no')
        },
      },
    ),
    kept: 1,
  }
  assert.deepEqual(redactNames(value), {
    broken: '[unreadable]',
    json: '[unreadable]',
    proxy: '[unreadable]',
    kept: 1,
  })
})

test('a key named __proto__ stays an ordinary key', () => {
  const shown = redactNames(JSON.parse('{"__proto__":{"polluted":1}}'))
  assert.equal(JSON.stringify(shown), '{"__proto__":{"polluted":1}}')
  assert.equal('polluted' in {}, false)
})
