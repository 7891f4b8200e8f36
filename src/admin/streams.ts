import type { FastifyReply } from 'fastify'
import type { Principal } from '../auth/principal.ts'
import { Failure } from '../failure/failure.ts'
import { type EventStream, openEventStream } from '../http/event-stream.ts'
import type { Log } from '../log/log.ts'
import type { EventSource } from './event-source.ts'

export interface NewStream {
  readonly source: EventSource
  readonly principal: Principal
  /** What has to be done before the first byte goes out. */
  readonly beforeBegin: () => Promise<void> | undefined
  /** Fails when the token of the request is good no longer. */
  readonly identify: () => Principal | Promise<Principal>
}

/** The streams that are open: so many and no more, none longer than its token is good. */
export interface Streams {
  readonly open: (reply: FastifyReply, stream: NewStream) => Promise<void>
  /** Ends all of them, and lets none begin. */
  readonly stop: () => void
}

export interface StreamsOptions {
  readonly log: Log
  /** Of all callers together. */
  readonly most?: number
  /** Of one caller. */
  readonly mostEach?: number
  /** How often a token is looked at again. */
  readonly recheckMs?: number
  /** How long a stream lasts whose token is bound to a key: a proof is good for one request, the next one brings another. */
  readonly provenMs?: number
}

export function createStreams(options: StreamsOptions): Streams {
  const { log, most = 64, mostEach = 8, recheckMs = 250, provenMs = 15_000 } = options
  const running = new Map<AbortController, string>()
  let isStopping = false

  function refuseFurther(caller: string): void {
    const own = [...running.values()].filter((other) => other === caller).length
    if (own >= mostEach)
      throw new Failure(
        'limit-exceeded',
        `you have ${mostEach} streams open, which is the most; end one first`,
        {
          reason: 'too_many_streams',
          retryAfterSeconds: 5,
        },
      )
    if (isStopping || running.size >= most)
      throw new Failure('unavailable', 'no further stream can be opened at the moment; try again', {
        reason: 'too_many_streams',
        retryAfterSeconds: 5,
      })
  }

  return {
    open: async (reply, stream) => {
      const { issuer, subject } = stream.principal
      const caller = JSON.stringify([issuer, subject])
      refuseFurther(caller)
      const end = new AbortController()
      running.set(end, caller)
      try {
        await stream.beforeBegin()
      } catch (error) {
        running.delete(end)
        throw error
      }
      const out = openEventStream(reply)
      reply.raw.once('close', () => end.abort())
      // One who has left already would never be seen to leave, and keep the place.
      if (reply.raw.destroyed) end.abort()
      const stopWatching = watchToken(stream, { end, recheckMs, provenMs })
      void pump(stream.source, out, end.signal)
        .catch((error: unknown) => log.warn({ err: error }, 'a stream of events was cut short'))
        .finally(() => {
          stopWatching()
          running.delete(end)
          out.end()
        })
    },
    stop: () => {
      isStopping = true
      for (const end of running.keys()) end.abort()
    },
  }
}

/** Sends as fast as the reader takes it, and reads no more until then. */
async function pump(source: EventSource, out: EventStream, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<false>((resolve) => {
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
  for await (const events of source(signal))
    for (const event of events) {
      if (signal.aborted) return
      const sent = out.send({ name: 'event', ...event })
      const isThere = sent instanceof Promise ? await Promise.race([sent, aborted]) : sent
      if (!isThere) return
    }
}

const longestTimerMs = 2 ** 31 - 1

interface Watch {
  readonly end: AbortController
  readonly recheckMs: number
  readonly provenMs: number
}

function watchToken({ principal, identify }: NewStream, { end, recheckMs, provenMs }: Watch): () => void {
  const isProven = principal.dpopKeyThumbprint !== undefined
  const leftMs = Math.min(principal.expiresAt * 1000 - Date.now(), isProven ? provenMs : longestTimerMs)
  const expiry = setTimeout(() => end.abort(), Math.max(0, leftMs))
  const recheck = setInterval(() => {
    if (!isProven) void check(identify).catch(() => end.abort())
  }, recheckMs)
  return () => {
    clearTimeout(expiry)
    clearInterval(recheck)
  }
}

async function check(identify: NewStream['identify']): Promise<void> {
  await identify()
}
