import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import { createThread, type Thread, threadScript } from './thread.ts'

/** A worker that says its job back, or does what the job says. */
const source = `
  import { parentPort, workerData } from 'node:worker_threads'
  const send = (message) => parentPort.postMessage(message)
  if (workerData === 'broken') send({ kind: 'broken', code: 'misconfigured', message: 'no weights' })
  parentPort.on('message', ({ kind, id, job }) => {
    if (kind === 'stop') return send({ kind: 'end', id })
    if (job === 'crash') throw new Error('out of order')
    if (job === 'exit') process.exit(3)
    if (job === 'fail') return send({ kind: 'failed', id, code: 'invalid-request', message: 'not like this' })
    send({ kind: 'event', id, event: job })
    if (job !== 'wait') send({ kind: 'end', id })
  })`

function openThread(setup = ''): Thread<string, string> {
  return createThread<string, string>({
    script: new URL(`data:text/javascript,${encodeURIComponent(source)}`),
    setup: () => setup,
    hasRoom: (_, inFlight) => inFlight.length < 2,
  })
}

const never = new AbortController().signal
async function read(thread: Thread<string, string>, job: string, signal = never): Promise<readonly string[]> {
  const events: string[] = []
  for await (const event of thread.call(job, signal)) events.push(event)
  return events
}
const failsWith = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Failure && error.code === code && message.test(error.message)

test('a call yields the events of the worker', async () => {
  const thread = openThread()
  assert.deepEqual(await read(thread, 'hello'), ['hello'])
  assert.equal(thread.load(), 0)
  await thread.close()
})

for (const way of ['crash', 'exit'])
  test(`calls in flight fail when the worker goes by ${way}, and the next call has a new one`, async () => {
    const thread = openThread()
    const waiting = read(thread, 'wait')
    await assert.rejects(read(thread, way), failsWith('unavailable', /stopped/))
    await assert.rejects(waiting, failsWith('unavailable', /stopped/))
    assert.deepEqual(await read(thread, 'again'), ['again'])
    await thread.close()
  })

test('a failure of one call keeps its code and leaves the worker be', async () => {
  const thread = openThread()
  await assert.rejects(read(thread, 'fail'), failsWith('invalid-request', /not like this/))
  assert.deepEqual(await read(thread, 'hello'), ['hello'])
  await thread.close()
})

test('a worker that cannot be set up says why', async () => {
  const thread = openThread('broken')
  await assert.rejects(read(thread, 'wait'), failsWith('misconfigured', /no weights/))
  await thread.close()
})

test('a call too many is refused as overload', async () => {
  const thread = openThread()
  const abort = new AbortController()
  const waiting = [read(thread, 'wait', abort.signal), read(thread, 'wait', abort.signal)]
  await assert.rejects(read(thread, 'hello'), failsWith('unavailable', /overloaded/))
  abort.abort(new Error('gone'))
  await Promise.all(waiting.map((call) => assert.rejects(call, /gone/)))
  await thread.idle()
  assert.deepEqual(await read(thread, 'hello'), ['hello'])
  await thread.close()
})

test('an aborted call fails with the reason and is over when the worker says so', async () => {
  const thread = openThread()
  const abort = new AbortController()
  for await (const event of thread.call('wait', AbortSignal.any([abort.signal]))) {
    assert.equal(event, 'wait')
    break
  }
  await thread.idle()
  const calls = thread.call('wait', abort.signal)
  await calls.next()
  assert.equal(thread.load(), 1)
  abort.abort(new Error('gone'))
  await assert.rejects(calls.next(), /gone/)
  await thread.idle()
  assert.equal(thread.load(), 0)
  await assert.rejects(read(thread, 'hello', abort.signal), /gone/)
  await thread.close()
})

test('closing fails the calls in flight and refuses new ones', async () => {
  const thread = openThread()
  const waiting = assert.rejects(read(thread, 'wait'), failsWith('unavailable', /shutting down/))
  await thread.close()
  await waiting
  await assert.rejects(read(thread, 'hello'), failsWith('unavailable', /shutting down/))
})

test('a built file starts a built worker', () => {
  assert.equal(threadScript('x-worker', 'file:///a/src/y.ts').href, 'file:///a/src/x-worker.ts')
  assert.equal(threadScript('x-worker', 'file:///a/dist/y.js').href, 'file:///a/dist/x-worker.js')
})
