/** The outcome of a promise, or a rejection once it is late; `onLate` is told so. */
export function inTime<Value>(
  outcome: Promise<Value>,
  patienceMs: number,
  onLate: () => void = () => undefined,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    const timer = setTimeout(() => {
      // What arrived while this process was busy is read before the immediate runs, and so is not late.
      setImmediate(() => {
        if (isSettled) return
        reject(new Error(`no reply within ${patienceMs} ms`))
        onLate()
      })
    }, patienceMs)
    const settle = (): void => {
      isSettled = true
      clearTimeout(timer)
    }
    outcome.then(
      (value) => {
        settle()
        resolve(value)
      },
      (error: unknown) => {
        settle()
        reject(error)
      },
    )
  })
}
