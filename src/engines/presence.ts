/** Whether somebody still waits for an answer. One is made for each call, so it is as small as can be. */
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
