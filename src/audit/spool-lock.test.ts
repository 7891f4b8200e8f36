import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { lockSpool } from './spool-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-lock-'))
after(() => rmSync(folder, { recursive: true }))

/** A process that has the lock, and does nothing else. */
const holder = join(folder, 'holder.mjs')
writeFileSync(
  holder,
  `import { lockSpool } from ${JSON.stringify(new URL('spool-lock.ts', import.meta.url).href)}
  const lock = lockSpool(process.argv[2])
  process.on('message', () => lock.release())
  process.send(lock === undefined ? 'refused' : 'held')`,
)

test('a lock is held until its process is dead, also while that is stopped', async () => {
  const file = join(folder, 'other.lock')
  const child = fork(holder, [file], { execArgv: [] })
  assert.deepEqual((await once(child, 'message'))[0], 'held')
  assert.equal(lockSpool(file), undefined)
  child.kill('SIGSTOP')
  assert.equal(lockSpool(file), undefined)
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  const lock = lockSpool(file)
  assert.ok(lock)
  lock.release()
})

test('a lock is held against the same process too, until it is let go', () => {
  const file = join(folder, 'own.lock')
  const lock = lockSpool(file)
  assert.ok(lock)
  assert.equal(lockSpool(file), undefined)
  lock.release()
  assert.ok(existsSync(file))
  const again = lockSpool(file)
  assert.ok(again)
  again.remove()
  assert.ok(!existsSync(file))
})

test('a folder where nothing can be locked is an error, not somebody’s lock', () => {
  assert.throws(() => lockSpool(join(folder, 'missing', 'any.lock')))
})
