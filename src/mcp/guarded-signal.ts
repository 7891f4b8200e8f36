/** An AbortController whose listeners may fail: Node ends the process over one that throws, whoever has added it. */
export function guardedController(onFault: (error: unknown) => void): AbortController {
  const controller = new AbortController()
  const { signal } = controller
  const guards = new WeakMap<Listener, EventListener>()
  const guardOf = (listener: Listener): EventListener => {
    const guard = guards.get(listener) ?? guarded(listener, signal, onFault)
    guards.set(listener, guard)
    return guard
  }
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  Object.defineProperties(signal, {
    addEventListener: {
      value: (type: string, listener: Listener | null, options?: AddEventListenerOptions) =>
        add(type, listener === null ? nothing : guardOf(listener), options),
    },
    removeEventListener: {
      value: (type: string, listener: Listener | null, options?: EventListenerOptions) =>
        remove(type, listener === null ? nothing : guardOf(listener), options),
    },
  })
  return controller
}

type Listener = EventListener | EventListenerObject

function guarded(listener: Listener, signal: AbortSignal, onFault: (error: unknown) => void): EventListener {
  return (event) => {
    try {
      // The listener of Node's own fetch takes itself off through "this".
      const done: unknown =
        typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event)
      if (done instanceof Promise) done.catch(onFault)
    } catch (error) {
      onFault(error)
    }
  }
}

function nothing(): void {}
