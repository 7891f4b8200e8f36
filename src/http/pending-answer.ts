import { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The answer a connection is waiting for; Node keeps it under this name and offers no public way to it. */
export function pendingAnswer(socket: Socket): ServerResponse | undefined {
  const pending: unknown = Reflect.get(socket, '_httpMessage')
  return pending instanceof ServerResponse ? pending : undefined
}
