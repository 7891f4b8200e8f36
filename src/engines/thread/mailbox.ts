export interface Mailbox<Item> {
  readonly put: (item: Item) => void
  /** What was put before is still read; then the items end, or fail if there is an error. */
  readonly end: (error?: unknown) => void
  /** For one reader. */
  readonly items: () => AsyncGenerator<Item, void>
}

export function createMailbox<Item>(): Mailbox<Item> {
  const held: Item[] = []
  let ended: { readonly error?: unknown } | undefined
  let wake: (() => void) | undefined

  function signal(): void {
    wake?.()
    wake = undefined
  }

  return {
    put: (item) => {
      if (ended !== undefined) return
      held.push(item)
      signal()
    },
    end: (error) => {
      ended ??= error === undefined ? {} : { error }
      signal()
    },
    async *items() {
      for (;;) {
        const item = held.shift()
        if (item !== undefined) yield item
        else if (ended === undefined) await new Promise<void>((resolve) => (wake = resolve))
        else if ('error' in ended) throw ended.error
        else return
      }
    },
  }
}
