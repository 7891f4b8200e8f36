export interface BoundedMemory<Value> {
  readonly get: (key: string) => Value | undefined
  readonly set: (key: string, value: Value) => void
  readonly size: () => number
}

/** Remembers at most `capacity` values. Two generations: what is not used while the younger one fills is forgotten. */
export function createBoundedMemory<Value>(capacity: number): BoundedMemory<Value> {
  const half = Math.max(1, Math.floor(capacity / 2))
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()

  function set(key: string, value: Value): void {
    if (young.size >= half && !young.has(key)) {
      old = young
      young = new Map()
    }
    old.delete(key)
    young.set(key, value)
  }

  return {
    get: (key) => {
      const value = young.get(key)
      if (value !== undefined) return value
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
    size: () => young.size + old.size,
  }
}
