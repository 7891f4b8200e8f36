/** Knows whether the bytes of an event stream that went by end between two events. */
export class EventBoundary {
  #isBetween = true
  /** The last bytes, as a number. */
  #last = 0

  see(bytes: Uint8Array): void {
    const { length } = bytes
    if (length === 0) return
    for (let at = Math.max(0, length - 4); at < length; at += 1)
      this.#last = ((this.#last << 8) | (bytes[at] ?? 0)) >>> 0
    const lastTwo = this.#last & 0xff_ff
    this.#isBetween = this.#last === crlfTwice || lastTwo === lfTwice || lastTwo === crTwice
  }

  isBetween(): boolean {
    return this.#isBetween
  }
}

const crlfTwice = 0x0d_0a_0d_0a
const lfTwice = 0x0a_0a
const crTwice = 0x0d_0d
