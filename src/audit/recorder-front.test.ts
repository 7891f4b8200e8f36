import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Failure } from '../failure/failure.ts'
import { parseRecord } from './audit-line.ts'
import { createRecorderFront, type RecorderFront, type RecorderFrontOptions } from './recorder-front.ts'
import { createMemorySpool, type MemorySpool } from './spool-memory.ts'

interface Setting extends MemorySpool {
  readonly front: RecorderFront
  readonly wakes: number[]
  readonly warnings: string[]
  readonly clock: { now: number }
}

function setting(options: Partial<RecorderFrontOptions> = {}): Setting {
  const spool = createMemorySpool()
  const [wakes, warnings, clock]: [number[], string[], { now: number }] = [[], [], { now: 1_000_000 }]
  const front = createRecorderFront({
    writer: spool.writer,
    durability: 'grouped',
    limitBytes: 1_000_000,
    wake: (end) => wakes.push(end),
    warn: (message) => warnings.push(message),
    elapsed: () => clock.now,
    ...options,
  })
  return { ...spool, front, wakes, warnings, clock }
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Failure && error.reason === 'record_unavailable' && error.retryAfterSeconds !== undefined

test('grouped: records of one turn are written at once, and no promise is kept before', async () => {
  const { writer, reader } = createMemorySpool()
  const writes: string[] = []
  const write = (lines: string): void => {
    writes.push(lines)
    writer.write(lines)
  }
  const { front } = setting({ writer: { ...writer, write } })
  const first = front.record('one')
  void front.record('two')
  assert.deepEqual(writes, [])
  await first
  assert.deepEqual(writes, ['one\ntwo'])
  await front.record('three')
  assert.deepEqual(reader.read(0).lines, ['one', 'two', 'three'])
  assert.equal(front.state().spoolBytes, 14)
})

test('an idle drain is woken once, and again when it was idle again', async () => {
  const { front, wakes } = setting()
  front.advance(0, true)
  await front.record('one')
  await front.record('two')
  assert.deepEqual(wakes, [4])
  front.advance(8, false)
  await front.record('more')
  assert.deepEqual(wakes, [4])
  front.advance(13, true)
  await front.record('last')
  assert.deepEqual(wakes, [4, 18])
})

test('a drain that went to sleep while a line was written is woken at once', async () => {
  const { front, wakes } = setting()
  await front.record('one')
  front.advance(0, true)
  assert.deepEqual(wakes, [4])
})

test('grouped: much at once is not left to wait for its time', async () => {
  const { front, wakes } = setting()
  for (let count = 0; count < 4; count += 1) await front.record('x'.repeat(99_999))
  assert.deepEqual(wakes, [300_000])
})

test('strict: the promise is kept when the position is stored, not before', async () => {
  const { front } = setting({ durability: 'strict' })
  let kept = 0
  const count = async (promise: Promise<void> | undefined): Promise<void> => {
    await promise
    kept += 1
  }
  const both = [count(front.record('one'))]
  await setImmediate()
  both.push(count(front.record('two')))
  await setImmediate()
  assert.equal(front.state().waiting, 2)
  front.advance(4, false)
  await both[0]
  assert.equal(kept, 1)
  front.advance(8, false)
  await Promise.all(both)
  assert.deepEqual(front.state(), { waiting: 0, dropped: 0, spoolBytes: 0 })
})

test('strict: more than may wait are refused, and their records kept all the same', async () => {
  const { front, reader } = setting({ durability: 'strict', mostWaiting: 2 })
  const waiting = [front.record('one'), front.record('two')]
  await setImmediate()
  assert.throws(() => front.refuseIfBehind(), isRefusal)
  await assert.rejects(async () => front.record('three'), isRefusal)
  assert.equal(reader.read(0).lines.length, 3)
  front.advance(14, false)
  for (const promise of waiting) await promise
  front.refuseIfBehind()
})

test('strict: who has waited five seconds is refused, and so is everybody until the store takes records again', async () => {
  const { front, clock } = setting({ durability: 'strict' })
  const early = front.record('one')
  await setImmediate()
  clock.now += 4000
  const late = front.record('two')
  await setImmediate()
  clock.now += 1500
  front.sweep()
  await assert.rejects(async () => early, isRefusal)
  assert.throws(() => front.refuseIfBehind(), isRefusal)
  await assert.rejects(async () => front.record('three'), isRefusal)
  front.advance(14, false)
  await late
  front.refuseIfBehind()
})

test('strict: a quiet hour is no delay', async () => {
  const { front, clock } = setting({ durability: 'strict' })
  clock.now += 3_600_000
  front.refuseIfBehind()
  const promise = front.record('one')
  await setImmediate()
  front.advance(4, true)
  await promise
})

test('grouped: a full spool drops, counts and warns; the count is put on record when there is room', async () => {
  const { front, reader, warnings } = setting({ limitBytes: 10 })
  await front.record('0123456789')
  for (const line of ['lost', 'lost too']) assert.equal(front.record(line), undefined)
  assert.equal(front.state().dropped, 2)
  assert.match(warnings[0] ?? '', /NOT ON RECORD/)
  front.refuseIfBehind()
  front.advance(11, false)
  reader.release(11)
  await front.record('next')
  const [note = '', next] = reader.read(11).lines
  assert.equal(next, 'next')
  const { action, reason, count } = parseRecord(note) ?? {}
  assert.deepEqual({ action, reason, count }, { action: 'audit', reason: 'dropped', count: 2 })
})

test('strict: a full spool refuses', async () => {
  const { front } = setting({ durability: 'strict', limitBytes: 10 })
  const first = front.record('0123456789')
  await setImmediate()
  assert.throws(() => front.refuseIfBehind(), isRefusal)
  await assert.rejects(async () => front.record('lost'), isRefusal)
  front.advance(11, false)
  await first
})

test('a spool that cannot be written drops, or refuses, until it can be', async () => {
  for (const durability of ['grouped', 'strict'] as const) {
    const { writer, reader } = createMemorySpool()
    let isBroken = true
    const write = (line: string): void => {
      if (isBroken) throw new Error('no space left on device')
      writer.write(line)
    }
    const { front } = setting({ durability, writer: { ...writer, write } })
    const told = [front.record('lost'), front.record('lost too')]
    if (durability === 'strict') {
      for (const promise of told) await assert.rejects(async () => promise, isRefusal)
      assert.throws(() => front.refuseIfBehind(), isRefusal)
    } else for (const promise of told) await promise
    isBroken = false
    void front.record('kept')
    await setImmediate()
    front.refuseIfBehind()
    assert.equal(front.state().dropped, 2)
    assert.equal(reader.read(0).lines.at(-1), 'kept')
  }
})

test('strict: a line that fails behind a note that did not is refused', async () => {
  const { writer } = createMemorySpool()
  let room = 0
  const write = (line: string): void => {
    if (room === 0) throw new Error('no space left on device')
    room -= 1
    writer.write(line)
  }
  const { front } = setting({ durability: 'strict', writer: { ...writer, write } })
  await assert.rejects(async () => front.record('lost'), isRefusal)
  room = 1
  await assert.rejects(async () => front.record('lost too'), isRefusal)
  assert.equal(front.state().dropped, 2)
})

test('what was dropped at last is put on record when the recorder ends, and nothing is taken after that', async () => {
  const { front, reader, warnings } = setting({ limitBytes: 10 })
  await front.record('0123456789')
  void front.record('lost')
  front.end()
  assert.equal(parseRecord(reader.read(0).lines[1] ?? '')?.count, 1)
  void front.record('too late')
  assert.equal(reader.read(0).lines.length, 2)
  assert.equal(warnings.length, 2)
})

test('a turn that is not over when the recorder ends is written, and its promise kept', async () => {
  const { front, reader } = setting()
  const promise = front.record('one')
  front.end()
  assert.deepEqual(reader.read(0).lines, ['one'])
  await promise
})

test('when files were removed, who waits is refused, and the loss is counted', async () => {
  const { front } = setting({ durability: 'strict' })
  const promise = front.record('one')
  await setImmediate()
  front.lose(4)
  await assert.rejects(async () => promise, isRefusal)
  assert.deepEqual(front.state(), { waiting: 0, dropped: 1, spoolBytes: 0 })
})
