import { ClientError } from '../client/client-error.ts'
import { Failure } from '../failure/failure.ts'
import { nextStep } from './client-hints.ts'
import type { Call } from './command.ts'
import { shownText } from './terminal-text.ts'

/** What a person is told of an error; a call, if it came so far, helps to say what to type next. */
export function describeError(error: unknown, call?: Call): string {
  const message = shownText(error instanceof Error ? error.message : String(error), true)
  if (error instanceof ClientError) return `postern: ${message}\n${nextStep(error, call)}`
  return `postern: ${error instanceof Failure ? '' : 'unexpected error: '}${onItsOwnLines(message)}\n`
}

/** Several problems stand below each other, each beginning with its place in the file. */
function onItsOwnLines(message: string): string {
  const lines = message.split('\n')
  return lines.length === 1 ? message : `${lines.length} problems\n${message}`
}
