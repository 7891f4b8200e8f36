/** Whether a 400 says that the API key is not valid: that is our key, and not the caller's. */
export function isAboutOurKey(chunks: readonly Uint8Array[]): boolean {
  const text = Buffer.concat(chunks).toString('utf8')
  return text.includes(reason) && reasonsIn(text).includes(reason)
}

const reason = 'API_KEY_INVALID'

/** The body of an error stands in a list where a stream without events was asked for. */
function reasonsIn(text: string): readonly unknown[] {
  const [answer] = [parsed(text)].flat()
  const details: unknown = Object(Object(answer).error).details
  return Array.isArray(details) ? details.map((detail: unknown): unknown => Object(detail).reason) : []
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
