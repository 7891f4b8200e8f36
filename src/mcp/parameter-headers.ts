import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../failure/failure.ts'
import type { HeaderParameter } from './header-parameters.ts'
import { decodeHeader, headerText } from './header-text.ts'

/** What intermediaries read in a header must be what the tool gets from the body. */
export function checkParameterHeaders(
  parameters: readonly HeaderParameter[],
  input: unknown,
  headers: IncomingHttpHeaders,
): void {
  for (const parameter of parameters) {
    const value = valueAt(input, parameter.path)
    // Without a value no header is expected, and what stands in one is nobody's argument.
    if (value === undefined || value === null) continue
    const sent = headerText(headers[parameter.header])
    if (sent === undefined || !isSame(parameter, decodeHeader(sent), value))
      throw new Failure(
        'invalid-request',
        `the header ${parameter.header} must be the argument ${parameter.path.join('.')}`,
        { reason: 'header_mismatch' },
      )
  }
}

/** Integers are compared as numbers; an argument of another type is left to the input schema, if the texts agree. */
function isSame({ type }: HeaderParameter, sent: string | undefined, value: unknown): boolean {
  if (sent === undefined) return false
  if (type === 'integer' && typeof value === 'number' && decimal.test(sent)) return Number(sent) === value
  return sent === (typeof value === 'string' ? value : JSON.stringify(value))
}

const decimal = /^-?\d{1,16}(?:\.0{1,16})?$/

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}
