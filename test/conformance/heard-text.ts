import { once } from 'node:events'
import type { Readable } from 'node:stream'

/** What a program says on one of its streams, from now on. */
export interface HeardText {
  readonly all: () => string
  /** Waits until the words were said so many times; fails when the stream closes before. */
  readonly until: (words: string, times?: number) => Promise<void>
}

export function hear(stream: Readable): HeardText {
  let heard = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    heard += text
  })
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve)
  })
  return {
    all: () => heard,
    until: async (words, times = 1) => {
      while (heard.split(words).length <= times) {
        if (stream.closed) throw new Error(`"${words}" was not said, but this:\n${heard}`)
        await Promise.race([once(stream, 'data'), closed])
      }
    },
  }
}
