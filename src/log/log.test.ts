import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../failure/failure.ts'
import { createLog, type Log, type LogOptions } from './log.ts'

interface Captured {
  readonly log: Log
  readonly output: () => string
  readonly lines: () => Record<string, unknown>[]
}

function capture(options: LogOptions = {}): Captured {
  const written: string[] = []
  const log = createLog({ level: 'trace', ...options, destination: { write: (line) => written.push(line) } })
  return { log, output: () => written.join(''), lines: () => written.map((line) => JSON.parse(line)) }
}

test('a line is JSON with level, time, message and fields', () => {
  const { log, lines, output } = capture()
  log.info({ principal: 'alice', tool: 'echo', ms: 1.5 }, 'called %s', 'echo')
  assert.partialDeepStrictEqual(lines()[0], {
    level: 'info',
    principal: 'alice',
    tool: 'echo',
    ms: 1.5,
    msg: 'called echo',
  })
  assert.match(String(lines()[0]?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.match(output(), /^\{.*\}\n$/)
})

test('info is the level unless another is asked for, and a lower one costs no look at its values', () => {
  const { log, output } = capture({ level: 'info' })
  const untouchable = new Proxy(
    {},
    {
      get: () => assert.fail('read'),
      ownKeys: () => assert.fail('listed'),
    },
  )
  log.debug(untouchable, 'not written')
  assert.equal(output(), '')
  assert.equal(createLog({ destination: { write: () => undefined } }).level, 'info')
  assert.equal(
    createLog({ level: 'silent', destination: { write: () => assert.fail('written') } }).level,
    'silent',
  )
})

test('an error is logged with its message and causes, alone or under err', () => {
  const { log, lines } = capture()
  const error = new Failure('unavailable', 'the store does not answer', { cause: new Error('ECONNREFUSED') })
  log.error(error)
  log.error({ err: error, path: '/x' }, 'failed')
  log.error(error, 'failed to %s', 'read')
  const described = {
    type: 'Failure',
    code: 'unavailable',
    message: error.message,
    cause: { message: 'ECONNREFUSED' },
  }
  assert.partialDeepStrictEqual(lines()[0], { msg: error.message, err: described })
  assert.partialDeepStrictEqual(lines()[1], { msg: 'failed', path: '/x', err: described })
  assert.partialDeepStrictEqual(lines()[2], { msg: 'failed to read', err: described })
})

test('bindings of a child, and of its child, are redacted as well', () => {
  const { log, output, lines } = capture()
  const child = log.child({ reqId: 'r1', token: 'planted-1', headers: { cookie: 'planted-2' } })
  const grandchild = child.child({ session: { password: 'planted-3' } }, { msgPrefix: '[x] ' })
  grandchild.setBindings({ apiKey: 'planted-4', kept: true })
  grandchild.info('hello')
  assert.doesNotMatch(output(), /planted/)
  assert.partialDeepStrictEqual(lines()[0], { reqId: 'r1', kept: true, msg: '[x] hello' })
})

test('a child cannot bring serializers that see what is not redacted', () => {
  const { log, output } = capture()
  const options = { serializers: { thing: (thing: { token: string }) => ({ shown: thing.token }) } }
  log.child({}, options).info({ thing: { token: 'planted' } })
  assert.doesNotMatch(output(), /planted/)
})

test('an object put into the message is redacted', () => {
  const { log, output, lines } = capture()
  log.info(
    '%j and %o and %s',
    { password: 'planted-1' },
    { nested: [{ token: 'planted-2' }] },
    'Bearer planted-3',
  )
  assert.doesNotMatch(output(), /planted/)
  assert.match(String(lines()[0]?.msg), /^\{"password":"\[redacted\]"\} and /)
})

test('a known secret under a harmless name is caught by its value', () => {
  const secret = 'correct horse/battery'
  const { log, output, lines } = capture({ secrets: [secret] })
  log.info(
    { color: secret, note: [`it is ${secret}!`], url: `https://h/${encodeURIComponent(secret)}/x` },
    secret,
  )
  log.error(new Error(`cannot use ${secret}`, { cause: new Error(Buffer.from(secret).toString('base64')) }))
  for (const form of [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').slice(0, 20),
  ]) {
    assert.equal(output().includes(form), false, form)
  }
  assert.partialDeepStrictEqual(lines()[0], {
    color: '[redacted]',
    note: ['it is [redacted]!'],
    msg: '[redacted]',
  })
  const { log: unaware, output: plain } = capture()
  unaware.info({ color: secret })
  assert.match(plain(), /correct horse/)
})

test('a secret of digits inside a number costs the line, not the secret', () => {
  const { log, output, lines } = capture({ secrets: ['12345678'] })
  log.warn({ n: 1_123_456_789 }, 'hello')
  assert.doesNotMatch(output(), /12345678/)
  assert.partialDeepStrictEqual(lines()[0], { level: 'warn' })
})

const secretNames = `
  authorization proxy-authorization cookie set-cookie x-goog-api-key api_key apiKey token access_token
  refresh_token id_token client_secret secret password private_key assertion code code_verifier cursor
  pageToken next_cursor key keys credential dpop
`
  .trim()
  .split(/\s+/)

const wrappers: readonly ((value: unknown, name: string) => unknown)[] = [
  (value, name) => ({ [name]: value }),
  (value) => [value, 1],
  (value) => ({ harmless: value, kept: true }),
  (value, name) => new Map([[name, value]]),
  (value) => new Set([value]),
  (value) => new Error('failed', { cause: value }),
  (value, name) => Object.assign(new Error('failed'), { [name]: value }),
  (value, name) => ({ name, value }),
  (value) => ({ headers: value }),
  (value) => ({ body: value }),
  (value) => ({ toJSON: () => value }),
  (value) => new AggregateError([value]),
]

test('a random secret under a random secret name at a random place never appears', () => {
  const secretText = fc.stringMatching(/^[A-Za-z0-9+/=._~-]{12,40}$/).map((text) => `S3${text}`)
  const writtenName = fc
    .tuple(fc.constantFrom(...secretNames), fc.constantFrom('_', '-', '.', ''))
    .map(([name, separator]) => name.replaceAll(/[-_]/g, separator))
    .chain((name) => fc.constantFrom(name, name.toUpperCase()))
  const places = fc.array(fc.tuple(fc.constantFrom(...wrappers), fc.constantFrom('a', 'items', 'context')), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(secretText, writtenName, places, (secret, name, path) => {
      const { log, output, lines } = capture()
      const innermost: unknown = { [name]: secret, beside: 'harmless' }
      const value = path.reduce((inner, [wrap, label]) => wrap(inner, label), innermost)
      log.info({ value }, 'message')
      log.child({ value }).info('%j', Object(value))
      log.info(Object(value))
      assert.equal(output().includes(secret), false)
      assert.equal(lines().length, 3)
    }),
    { numRuns: 500 },
  )
})

test('whatever is logged, a line of JSON comes out and nothing is thrown', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withTypedArray: true,
    withUnicodeString: true,
  })
  fc.assert(
    fc.property(anything, fc.string({ unit: 'binary' }), (value, text) => {
      const { log, lines } = capture({ secrets: ['12345678', 'some secret'] })
      log.info({ value }, text)
      log.info(Object(value))
      log.child({ value }).error({ text, value }, '%o', Object(value))
      assert.equal(lines().length, 3)
    }),
  )
})
