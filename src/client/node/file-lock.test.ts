import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { withFileLock } from './file-lock.ts'

const folder = await mkdtemp(join(tmpdir(), 'postern-lock-'))
after(() => rm(folder, { recursive: true }))
const quick = { beatMs: 20, staleMs: 200 }
/** Room for a machine that is busy with something else between two beats. */
const patient = { beatMs: 20, staleMs: 1000 }

test('of many who want it at once, one at a time works', async () => {
  const path = join(folder, 'turns.lock')
  let inside = 0
  let most = 0
  const work = async (): Promise<void> => {
    inside += 1
    most = Math.max(most, inside)
    await readFile(path)
    inside -= 1
  }
  await Promise.all(Array.from({ length: 10 }, () => withFileLock(path, work)))
  assert.equal(most, 1)
  assert.ok(!(await readdir(folder)).some((name) => name.startsWith('turns')))
})

test('work that fails gives the lock back', async () => {
  const path = join(folder, 'failed.lock')
  await assert.rejects(
    withFileLock(path, () => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(await withFileLock(path, async () => 'free'), 'free')
})

test('the lock of a process that has died is taken over by one of those who wait', async () => {
  const path = join(folder, 'dead.lock')
  await writeFile(path, 'somebody who is gone')
  const seen: string[] = []
  const work = async (): Promise<void> => void seen.push(await readFile(path, 'utf8'))
  await Promise.all(Array.from({ length: 5 }, () => withFileLock(path, work, quick)))
  assert.equal(new Set(seen).size, 5)
  assert.ok(!seen.includes('somebody who is gone'))
  assert.deepEqual(await readdir(folder), [])
})

test('work that takes longer than a dead process is waited for keeps the lock', async () => {
  const path = join(folder, 'slow.lock')
  const order: string[] = []
  const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>()
  const slow = withFileLock(
    path,
    async () => {
      hold()
      const end = performance.now() + 2 * patient.staleMs
      for (; performance.now() < end; await pause(patient.beatMs)) await readFile(path)
      order.push('slow')
    },
    patient,
  )
  await isHeld
  const next = withFileLock(path, async () => void order.push('next'), patient)
  await Promise.all([slow, next])
  assert.deepEqual(order, ['slow', 'next'])
})

test('a folder that does not exist is an error, not an endless wait', async () => {
  await assert.rejects(
    withFileLock(join(folder, 'none', 'x.lock'), async () => {}),
    /ENOENT/,
  )
})
