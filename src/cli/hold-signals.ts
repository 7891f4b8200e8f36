import type { Signal } from './io.ts'

/** From now until what it returns is called, a signal that would end the program does not: it ends it then. */
export function holdSignals(): () => void {
  const held: Signal[] = []
  const hold = (signal: NodeJS.Signals): void => {
    for (const known of signals) if (known === signal) held.push(known)
  }
  for (const signal of signals) process.on(signal, hold)
  return () => {
    for (const signal of signals) process.off(signal, hold)
    // Others that listen to it have heard it, and decide themselves.
    const [first] = held.filter((signal) => process.listenerCount(signal) === 0)
    if (first !== undefined) process.kill(process.pid, first)
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const satisfies readonly Signal[]
