/** What `start` gives, or the signal's reason as soon as it aborts, even when `start` does not listen to it. */
export async function untilAborted<Value>(signal: AbortSignal, start: () => Promise<Value>): Promise<Value> {
  signal.throwIfAborted()
  let stop = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop)
  })
  try {
    return await Promise.race([start(), aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
