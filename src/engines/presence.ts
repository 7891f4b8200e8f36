/** Whether somebody still waits for an answer. An AbortSignal says the same at more cost, and one is made for each call. */
export class Presence {
  #isGone = false
  #listener: (() => void) | undefined

  get isGone(): boolean {
    return this.#isGone
  }

  /** Called once when the caller goes; the next listener takes the place of this one. */
  listen(listener: () => void): void {
    this.#listener = listener
  }

  forget(): void {
    this.#listener = undefined
  }

  leave(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#listener?.()
  }
}
