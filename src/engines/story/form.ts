import { writeJson } from './json.ts'
import type { CallableFunction, Form } from './messages.ts'
import { type Desk, type Script, writeChoice, writeFreely } from './script.ts'

/** The script that keeps an answer in its form. */
export function* writeForm(form: Form, desk: Desk): Script {
  if (form.kind === 'text') yield* writeFreely()
  else if (form.kind === 'json') yield* writeJson(form.schema, { ...desk, owed: 0 })
  else if (form.kind === 'choice') yield* writeChoice(form.texts, desk)
  else yield* writeCall(form.functions, desk)
}

/** On a line of its own: the name, a space, the arguments. */
function* writeCall(functions: readonly CallableFunction[], desk: Desk): Script {
  yield { kind: 'put', tokens: desk.encode('\n') }
  const names = functions.map(({ name }) => name)
  const chosen = yield* writeChoice(names, desk)
  yield { kind: 'put', tokens: desk.encode(' ') }
  const parameters = functions.find(({ name }) => name === chosen)?.parameters
  yield* writeJson(parameters ?? { kind: 'object', properties: [] }, { ...desk, owed: 0 })
}

/** Reads back what the script of a call wrote. */
export function readCall(text: string): { name: string; args: Readonly<Record<string, unknown>> } {
  const space = text.indexOf(' ')
  return { name: text.slice(1, space), args: JSON.parse(text.slice(space)) }
}
