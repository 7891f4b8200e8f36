/**
 * About how many tokens a request has whose model did not say. Limits charge it, so that a call which is cut off is not free;
 * no record has it.
 */
export function guessTokens(body: Buffer, { inputTokenLimit }: { readonly inputTokenLimit: number }): number {
  const media = mediaBytes(body)
  const tokens = (body.length - media) / bytesOfText + media / bytesOfMedia
  return Math.min(Math.ceil(tokens), inputTokenLimit)
}

/** Of one token, as models of all makers have them. */
export const bytesOfText = 4

/** A picture of 1 MB has some hundred tokens up to two thousand, a second of speech about thirty. */
const bytesOfMedia = 1000

/** Looked for and not parsed: the bytes of a request that is forwarded are no object here. Inside a text the quotes would be escaped. */
function mediaBytes(body: Buffer): number {
  let bytes = 0
  for (const mark of ['"inlineData"', '"inline_data"'])
    for (let at = body.indexOf(mark); at !== -1; ) {
      const end = body.indexOf('}', at)
      if (end === -1) break
      if (!body.subarray(at, end).includes('"text/')) bytes += end - at
      at = body.indexOf(mark, end)
    }
  return bytes
}
