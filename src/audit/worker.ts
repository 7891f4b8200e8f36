import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../failure/failure.ts'
import type { DrainSetup, FromDrain, ToDrain } from './drain-messages.ts'

const port = parentPort
if (port === null) throw new Failure('internal', 'this file is the entry of a worker thread')
const setup: DrainSetup = workerData
// A thread does not inherit it, and needs twice the time to start without.
if (setup.isCompileCached) enableCompileCache()
const { openDrainTask } = await import('./drain-task.ts')
const task = openDrainTask(setup, (message: FromDrain) => port.postMessage(message))
port.on('message', (message: ToDrain) => {
  if (message.kind === 'segment') task.addSegment(message.start)
  else if (message.kind === 'wake') task.wake(message.end)
  else
    void task.finish().then(() => {
      port.postMessage({ kind: 'finished' } satisfies FromDrain)
      port.close()
    })
})
