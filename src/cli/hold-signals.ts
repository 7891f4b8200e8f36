import type { Signal } from './io.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly Signal[]

let holds = 0
let held: { readonly signal: NodeJS.Signals; readonly at: number } | undefined

/** From now until what it returns is called, a signal that would end the program does not: it ends it then. */
export function holdSignals(): () => void {
  if (holds === 0) for (const signal of signals) process.on(signal, hold)
  holds += 1
  return () => {
    holds -= 1
    if (holds === 0) letGo()
  }
}

/** Who presses Ctrl-C again does not want to wait. One that comes at once is the same one, which npm hands on as well. */
function hold(signal: NodeJS.Signals): void {
  const now = performance.now()
  if (held !== undefined && now - held.at >= impatientMs) letGo()
  else held ??= { signal, at: now }
}

const impatientMs = 500

function letGo(): void {
  for (const signal of signals) process.off(signal, hold)
  const { signal } = held ?? {}
  held = undefined
  // Others that listen to it have heard it, and decide themselves.
  if (signal !== undefined && process.listenerCount(signal) === 0) process.kill(process.pid, signal)
}
