import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRecord } from '../audit/audit-line.ts'
import { createEventIds } from '../audit/recorder-ids.ts'
import type { Decision } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import { recordDecisions } from './record-decisions.ts'

const principal: Principal = {
  issuer: 'https://login.example',
  subject: 'alice "the" \\ admin\n',
  clientId: 'https://app.example/client.json',
  scopes: new Set(['notes:read', 'notes:write']),
  expiresAt: 1_800_000_000,
  credential: { kind: 'jwt', id: '0123456789abcdef' },
  dpopKeyThumbprint: undefined,
}

const allowed: Decision = {
  time: 1_763_200_000_123_456,
  surface: 'tools',
  principal,
  action: 'tools/call',
  target: 'echo',
  needed: ['notes:read'],
  held: ['notes:read', 'notes:write'],
  outcome: 'allow',
  reason: 'ok',
  status: 200,
  durationMs: 1.2345,
  requestId: 'r-1',
  revision: '2026-07-28',
}

function lineOf(decision: Decision): string {
  const lines: string[] = []
  const tell = recordDecisions({ record: (line) => void lines.push(line) }, createEventIds())
  void tell(decision)
  return lines[0] ?? ''
}

test('a decision is one line with all that the record asks for', () => {
  const { id, ...rest } = parseRecord(lineOf(allowed)) ?? {}
  assert.match(String(id), /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  assert.deepEqual(rest, {
    time: allowed.time,
    surface: 'tools',
    action: 'tools/call',
    target: 'echo',
    decision: 'allow',
    reason: 'ok',
    status: 200,
    durationUs: 1235,
    needed: ['notes:read'],
    requestId: 'r-1',
    revision: '2026-07-28',
    by: {
      principal: principal.subject,
      issuer: principal.issuer,
      client: principal.clientId,
      credential: { kind: 'jwt', id: '0123456789abcdef' },
      expires: 1_800_000_000,
      held: ['notes:read', 'notes:write'],
    },
  })
})

test('what people know a caller by is there when the credential said so', () => {
  const named = { ...principal, name: 'ada "the" \n' }
  assert.equal(parseRecord(lineOf({ ...allowed, principal: named }))?.by?.name, named.name)
  assert.ok(!lineOf(allowed).includes('"name"'))
})

test('who was not identified is nobody, and what was not named is null', () => {
  const line = lineOf({ ...allowed, principal: undefined, target: undefined, outcome: 'deny', status: 401 })
  const { by, target, decision } = parseRecord(line) ?? {}
  assert.deepEqual({ by, target, decision }, { by: null, target: null, decision: 'deny' })
})

test('the tokens of a model are there when they are known', () => {
  const { tokensIn, tokensOut } = parseRecord(lineOf({ ...allowed, tokensIn: 7, tokensOut: 0 })) ?? {}
  assert.deepEqual({ tokensIn, tokensOut }, { tokensIn: 7, tokensOut: 0 })
  assert.equal(parseRecord(lineOf({ ...allowed, tokensIn: 7 }))?.tokensOut, undefined)
})

test('a count that is none does not make the record unreadable', () => {
  for (const [told, kept] of [
    [Number.NaN, 0],
    [-1, 0],
    [1.5, 2],
    [Infinity, Number.MAX_SAFE_INTEGER],
    [1e300, Number.MAX_SAFE_INTEGER],
  ] as const) {
    const { tokensIn, tokensOut } = parseRecord(lineOf({ ...allowed, tokensIn: told, tokensOut: told })) ?? {}
    assert.deepEqual([tokensIn, tokensOut], [kept, kept])
  }
})

test('a token that ends between two seconds has ended by the next one', () => {
  const odd = { ...principal, expiresAt: 1_800_000_000.25 }
  assert.equal(parseRecord(lineOf({ ...allowed, principal: odd }))?.by?.expires, 1_800_000_001)
})

test('an end that is too far to be a number of seconds is none, and the record is readable', () => {
  const far = { ...principal, expiresAt: 1e300 }
  const { by } = parseRecord(lineOf({ ...allowed, principal: far })) ?? {}
  assert.deepEqual([by?.principal, by?.expires], [principal.subject, null])
})

test('a key that a caller puts where a name belongs is not on record', () => {
  const key = `postern_${'k'.repeat(43)}`
  const denied = { ...allowed, outcome: 'deny', status: 404 } as const
  for (const text of [key, `generateContent&key=${key}`, `generateContent?key=${key}`, `Bearer ${key}`]) {
    const line = lineOf({ ...denied, action: text, target: text, revision: text, requestId: text })
    assert.ok(!line.includes(key))
    assert.match(parseRecord(line)?.action ?? '', /\[redacted\]$/)
  }
  assert.ok(!lineOf({ ...allowed, requestId: key }).includes(key))
  const known = { ...denied, action: 'streamGenerateContent', requestId: 'mwhqt9te-021ee1a4b4b2-00000o' }
  const { action, requestId } = parseRecord(lineOf(known)) ?? {}
  assert.deepEqual([action, requestId], [known.action, known.requestId])
})

test('the ids that a refused request named are on record', () => {
  const target = `019a8e0c-5f2b-7c41-9a3e-0123456789ab/${'ab'.repeat(20)}`
  const line = lineOf({ ...allowed, surface: 'api', target, outcome: 'deny', status: 403 })
  assert.equal(parseRecord(line)?.target, target)
})

test('a key without an end, and one without a client, are null', () => {
  const endless = { ...principal, expiresAt: Infinity, clientId: undefined }
  const { by } = parseRecord(lineOf({ ...allowed, principal: endless })) ?? {}
  assert.equal(by?.expires, null)
  assert.equal(by?.client, null)
})

test('no text of a caller can break the line or say more than its field', () => {
  for (const text of ['a"b', 'a\\', 'a\nb', '\u2028', '\u0000', '\ud800', '"},"x":{"', 'ü', '\u007f', '']) {
    const line = lineOf({ ...allowed, action: text, target: text, revision: text, requestId: text })
    assert.ok(!line.includes('\n'))
    const { action, target, revision, requestId } = parseRecord(line) ?? {}
    assert.deepEqual([action, target, revision, requestId], [text, text, text, text])
    // A text that UTF-8 has no form for would come back from the file as another one.
    assert.ok(line.isWellFormed())
  }
})

test('what the recorder promises is what the surface waits for', async () => {
  const promise = Promise.resolve()
  const strict = recordDecisions({ record: () => promise }, createEventIds())
  assert.equal(strict(allowed), promise)
  await promise
  const grouped = recordDecisions({ record: () => undefined }, createEventIds())
  assert.equal(grouped(allowed), undefined)
})
