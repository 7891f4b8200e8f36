/** The body as text, or null when it is longer than `maxBytes`; the rest is then not read. */
export async function textUpTo(response: Response, maxBytes: number): Promise<string | null> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let byteCount = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    byteCount += value.byteLength
    if (byteCount > maxBytes) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
}
