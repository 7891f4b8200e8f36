import { type Reply, serveThread } from '../thread/thread-port.ts'
import type { EmbeddingEvent, EmbeddingJob } from './messages.ts'
import { loadEmbeddingModel } from './model.ts'
import { embedText } from './task.ts'

await serveThread<EmbeddingJob, EmbeddingEvent>(async () => {
  const model = await loadEmbeddingModel()
  const open = new Set<number>()
  let last = Promise.resolve()

  async function embed(id: number, { text }: EmbeddingJob, reply: Reply<EmbeddingEvent>): Promise<void> {
    if (!open.has(id)) return
    try {
      const event = await embedText(model, text, () => !open.has(id))
      if (!open.delete(id)) return
      reply.event(event)
      reply.end()
    } catch (error) {
      reply.fail(error)
    }
  }

  return {
    start: (id, job, reply) => {
      open.add(id)
      last = last.then(() => embed(id, job, reply))
    },
    stop: (id) => open.delete(id),
  }
})
