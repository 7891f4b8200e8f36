import { workerData } from 'node:worker_threads'
import { serveThread } from '../thread/thread-port.ts'
import { createGeneration } from './generation.ts'
import type { StoryEvent, StoryJob, StorySetup } from './messages.ts'
import { loadStoryModel } from './model.ts'
import { createSchedule, type Task } from './schedule.ts'
import type { Tokenizer } from './tokenizer.ts'

const setup: StorySetup = workerData
const charactersPerTurn = 4096

await serveThread<StoryJob, StoryEvent>(async () => {
  const model = await loadStoryModel(setup.weights)
  const schedule = createSchedule(setup.running, (run) => setImmediate(run))
  return {
    start: (id, job, reply) =>
      schedule.start(id, {
        isLight: job.kind === 'count',
        open: () =>
          job.kind === 'count'
            ? countTask(model.tokenizer, job.prompt, reply.event)
            : createGeneration(model, job.writing, reply.event),
        settle: (error) => (error === undefined ? reply.end() : reply.fail(error)),
      }),
    stop: schedule.stop,
  }
})

function countTask(tokenizer: Tokenizer, prompt: string, emit: (event: StoryEvent) => void): Task {
  const steps = tokenizer.count(prompt, charactersPerTurn)
  return () => {
    const { done, value } = steps.next()
    if (done === true) emit({ kind: 'counted', tokens: value })
    return done === true
  }
}
