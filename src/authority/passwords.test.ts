import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { hashPassword, passwordComplaint, verifyPassword } from './passwords.ts'

const quick = { logarithm: 10, blockSize: 8, parallelism: 1 }

test('a password is known again by its hash, another one is not', async () => {
  const hash = await hashPassword('correct horse', quick)
  assert.deepEqual(
    [await verifyPassword('correct horse', hash), await verifyPassword('correct hors', hash)],
    [true, false],
  )
})

test('the hash names its cost, 2^17 blocks of 8 unless told, and never the password', async () => {
  const hash = await hashPassword('correct horse')
  assert.match(hash, /^\$scrypt\$ln=17,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.equal(await verifyPassword('correct horse', hash), true)
})

test('the same password has another hash each time', async () => {
  assert.notEqual(await hashPassword('correct horse', quick), await hashPassword('correct horse', quick))
})

test('an accent counts the same whichever way a keyboard writes it', async () => {
  const hash = await hashPassword('caf\u00e9 au lait', quick)
  assert.equal(await verifyPassword('cafe\u0301 au lait', hash), true)
})

test('no hash never fits, and takes about as long as a hash of the usual cost', async () => {
  const timed = async (hash: string | undefined): Promise<number> => {
    const start = performance.now()
    assert.equal(await verifyPassword('wrong horse', hash), false)
    return performance.now() - start
  }
  const usual = await hashPassword('correct horse')
  const [known, unknown] = [await timed(usual), await timed(undefined)]
  assert.ok(unknown > known / 10, `${unknown} ms against ${known} ms`)
})

test('one password is checked at a time, because each takes 128 MiB', async () => {
  const order: string[] = []
  const strong = hashPassword('correct horse').then(() => order.push('strong'))
  // A quick one would be done long before, if it did not wait for its turn.
  const weak = hashPassword('correct horse', quick).then(() => order.push('quick'))
  await Promise.all([strong, weak])
  assert.deepEqual(order, ['strong', 'quick'])
})

test('a flood of sign-ins is refused beyond what may wait, and those in line are answered', async () => {
  const hash = await hashPassword('correct horse', quick)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, () => verifyPassword('correct horse', hash)),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 60 - 33)
  for (const outcome of refused) {
    assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Failure)
  }
})

test('a hash of another form is an error of the store, not a wrong password', async () => {
  for (const hash of ['', '$argon2id$v=19$x$y', '$scrypt$ln=30,r=8,p=1$AAAA$AAAA']) {
    await assert.rejects(verifyPassword('correct horse', hash), Failure)
  }
})

test('a new password has 8 to 256 characters and is not the login', () => {
  const complaints = ['1234567', 'x'.repeat(257), 'Ada@Example.org', '12345678', 'x'.repeat(256)].map(
    (password) => passwordComplaint(password, 'ada@example.org') === undefined,
  )
  assert.deepEqual(complaints, [false, false, false, true, true])
})
