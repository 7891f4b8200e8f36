import { once } from 'node:events'
import type { AnswerPiece } from '../../src/engines/content.ts'
import type { EngineCall, PieceEngine } from '../../src/engines/engine.ts'
import type { Failure } from '../../src/failure/failure.ts'

/** An engine that works until it is told to stop. */
export interface WaitingEngine extends PieceEngine {
  /** Resolves when it has begun, and when it was told to stop. */
  readonly began: Promise<void>
  readonly stopped: Promise<void>
}

export interface Waiting {
  /** How many pieces come before it waits. */
  readonly pieces: number
  /** In place of waiting. */
  readonly fails?: Failure
}

export function createWaitingEngine({ pieces, fails }: Waiting): WaitingEngine {
  const begin = Promise.withResolvers<void>()
  const stop = Promise.withResolvers<void>()

  async function wait({ signal }: EngineCall): Promise<never> {
    begin.resolve()
    if (fails !== undefined) throw fails
    if (!signal.aborted) await once(signal, 'abort')
    stop.resolve()
    throw new Error('told to stop, in words of its own')
  }

  return {
    kind: 'pieces',
    version: 'waiting-1',
    began: begin.promise,
    stopped: stop.promise,
    limits: { inputTokenLimit: 100, outputTokenLimit: 100 },
    operations: new Set(['generateContent', 'streamGenerateContent', 'countTokens', 'embedContent']),
    async *generate(_request, call): AsyncGenerator<AnswerPiece> {
      const content = { role: 'model', parts: [{ text: 'a' }] } as const
      for (let count = 0; count < pieces; count += 1) yield { candidates: [{ index: 0, content }] }
      await wait(call)
    },
    countTokens: (_request, call) => wait(call),
    embed: (_inputs, call) => wait(call),
    close: async () => undefined,
  }
}
