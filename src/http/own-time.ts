import type { IncomingMessage } from 'node:http'

const own = new WeakSet<IncomingMessage>()

/** From here on who reads the body must bound its time: that of a whole request does not count any more. */
export function takeOwnTime(request: IncomingMessage): void {
  own.add(request)
}

export function hasOwnTime(request: IncomingMessage): boolean {
  return own.has(request)
}
