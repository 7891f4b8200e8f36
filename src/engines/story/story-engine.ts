import { createTextEmbedder } from '../embedding/embedding-engine.ts'
import type { Operation, PieceEngine, TokenCount } from '../engine.ts'
import { createThread, threadScript } from '../thread/thread.ts'
import { answerForm } from './answer-form.ts'
import { answerPieces } from './answer-pieces.ts'
import { storyLimits } from './limits.ts'
import type { StoryEvent, StoryJob, StorySetup } from './messages.ts'
import { optionsOf } from './options.ts'
import { promptOf } from './prompt.ts'
import { refuseUnknownAbilities } from './refusals.ts'
import { storyWeightsFile } from './weights.ts'

export interface StoryEngineOptions {
  /** The name that refusals speak of. */
  readonly model: string
  /** Generations that take turns; each holds 3.5 MB. */
  readonly running?: number
  /** Generations that wait for their turn; more are refused as overload. */
  readonly waiting?: number
  /** Where the weights are, as a file URL; they are checked all the same. */
  readonly weights?: string
  /** The seed of a request that has none. */
  readonly randomSeed?: () => number
}

export interface StoryEngine extends PieceEngine {
  /** Calls whose work has not ended, also those that were aborted. */
  readonly load: () => number
  /** Resolves when the worker has reported that all work has ended and is forgotten. */
  readonly idle: () => Promise<void>
}

/** Counting is quick, but not for everyone at once. */
const mostCounts = 256

/** The embedded model. The worker and the weights are loaded by the first call. */
export function createStoryEngine(options: StoryEngineOptions): StoryEngine {
  const { model, running = 4, waiting = 32, randomSeed = anySeed } = options
  const most = { generate: running + waiting, count: mostCounts }
  const thread = createThread<StoryJob, StoryEvent>({
    script: threadScript('worker', import.meta.url),
    setup: (): StorySetup => ({ weights: options.weights ?? storyWeightsFile(), running }),
    hasRoom: ({ kind }, inFlight) => inFlight.filter((job) => job.kind === kind).length < most[kind],
  })
  const embedder = createTextEmbedder({ model })
  return {
    kind: 'pieces',
    version: 'stories15M',
    limits: storyLimits,
    operations,
    load: thread.load,
    idle: thread.idle,
    async *generate(request, { signal }) {
      refuseUnknownAbilities(request, model)
      const config = optionsOf(request.generationConfig ?? {}, randomSeed)
      const writing = { ...config, prompt: promptOf(request), form: answerForm(request) }
      yield* answerPieces(thread.call({ kind: 'generate', writing }, signal))
    },
    countTokens: async (request, { signal }) => {
      refuseUnknownAbilities(request, model)
      return countedTokens(thread.call({ kind: 'count', prompt: promptOf(request) }, signal))
    },
    embed: embedder.embed,
    close: async () => {
      await Promise.all([thread.close(), embedder.close()])
    },
  }
}

const operations: ReadonlySet<Operation> = new Set([
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
])

function anySeed(): number {
  return crypto.getRandomValues(new Int32Array(1))[0] ?? 0
}

async function countedTokens(events: AsyncIterable<StoryEvent>): Promise<TokenCount> {
  let totalTokens = 0
  for await (const event of events) if (event.kind === 'counted') totalTokens = event.tokens
  return { totalTokens }
}
