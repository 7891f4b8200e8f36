import type { WireCall, WireEngine, WireHead, WireSink, WireUsage } from '../../src/engines/engine.ts'
import { createGeminiEngine, type GeminiOptions } from '../../src/engines/gemini-engine.ts'
import { Presence } from '../../src/engines/presence.ts'
import type { Failure } from '../../src/failure/failure.ts'

export const upstreamKey = 'AIza-upstream-secret'

export function geminiEngine(origin: string, options: Partial<GeminiOptions> = {}): WireEngine {
  return createGeminiEngine({
    name: 'front',
    model: 'up',
    baseUrl: origin,
    apiKey: upstreamKey,
    connectSeconds: 1,
    firstByteSeconds: 5,
    idleSeconds: 5,
    retries: 0,
    ...options,
  })
}

/** All that a sink was told. */
export interface Heard {
  readonly heads: WireHead[]
  readonly text: string
  readonly usage: WireUsage | undefined
  readonly failure: Failure | undefined
  /** How often the end was told, which must be once. */
  readonly ends: number
}

export interface Listener {
  readonly sink: WireSink
  readonly heard: Promise<Heard>
}

/** A sink that takes everything; `onData` decides whether more may come. */
export function listener(onData: (bytes: Uint8Array, head: WireHead) => boolean = () => true): Listener {
  const heads: WireHead[] = []
  const chunks: Buffer[] = []
  let ends = 0
  const { promise, resolve } = Promise.withResolvers<Heard>()
  const finish = (usage: WireUsage | undefined, failure: Failure | undefined): void => {
    ends += 1
    // Late enough to see an end that is told twice.
    setImmediate(() => resolve({ heads, text: Buffer.concat(chunks).toString('utf8'), usage, failure, ends }))
  }
  return {
    heard: promise,
    sink: {
      head: (head) => heads.push(head),
      data: (bytes) => {
        chunks.push(Buffer.from(bytes))
        const [head] = heads
        if (head === undefined) throw new Error('data came before the head')
        return onData(bytes, head)
      },
      end: (usage) => finish(usage, undefined),
      fail: (failure, usage) => finish(usage, failure),
    },
  }
}

export function wireCall(call: Partial<WireCall> = {}): WireCall {
  return {
    operation: 'generateContent',
    framing: 'json',
    body: Buffer.from('{"contents":[]}'),
    caller: new Presence(),
    requestId: 'req-1',
    ...call,
  }
}

export function ask(engine: WireEngine, call: Partial<WireCall> = {}): Promise<Heard> {
  const { sink, heard } = listener()
  engine.forward(wireCall(call), sink)
  return heard
}

export const sse: Pick<WireCall, 'operation' | 'framing'> = {
  operation: 'streamGenerateContent',
  framing: 'sse',
}
