export interface WrittenText {
  /** Takes the bytes of a token and answers the text that is now sure to be shown. */
  readonly write: (bytes: Uint8Array) => string
  /** What was held back, once it is known that nothing follows; half a character is not shown. */
  readonly end: () => string
  /** A stop sequence was met; nothing from it on is shown. */
  readonly isStopped: () => boolean
}

/** Holds back half characters, and text that may become a stop sequence. */
export function createWrittenText(stopSequences: readonly string[]): WrittenText {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let held = ''
  let isStopped = false

  function show(length: number): string {
    const shown = held.slice(0, length)
    held = held.slice(length)
    return shown
  }

  return {
    write: (bytes) => {
      if (isStopped) return ''
      held += decoder.decode(bytes, { stream: true })
      const stop = firstStop(held, stopSequences)
      if (stop < 0) return show(held.length - doubtfulLength(held, stopSequences))
      isStopped = true
      const shown = show(stop)
      held = ''
      return shown
    },
    end: () => show(held.length),
    isStopped: () => isStopped,
  }
}

function firstStop(text: string, stopSequences: readonly string[]): number {
  const found = stopSequences.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

/** The longest end of the text that begins a stop sequence. */
function doubtfulLength(text: string, stopSequences: readonly string[]): number {
  const lengths = stopSequences.map((stop) => {
    for (let length = Math.min(stop.length - 1, text.length); length > 0; length -= 1)
      if (stop.startsWith(text.slice(text.length - length))) return length
    return 0
  })
  return Math.max(0, ...lengths)
}
