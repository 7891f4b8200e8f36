import { once } from 'node:events'

/** What of a terminal is needed here. */
export interface Keyboard extends NodeJS.ReadableStream {
  readonly setRawMode: (isRaw: boolean) => unknown
}

/** One key, as the terminal sends it; Ctrl-C and Ctrl-D come as `\u0003` and `\u0004`, and so does its end. */
export async function readKey(input: Keyboard): Promise<string> {
  const over = new AbortController()
  const { signal } = over
  input.setRawMode(true)
  try {
    const key = once(input, 'data', { signal }).then(([bytes]) => String(bytes))
    const end = once(input, 'end', { signal }).then(() => '\u0004')
    // What was paused after the key before stays so until told.
    input.resume()
    return await Promise.race([key, end])
  } finally {
    over.abort()
    input.setRawMode(false)
    input.pause()
  }
}
