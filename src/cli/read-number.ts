import { Failure } from '../failure/failure.ts'
import { type Call, textOption } from './command.ts'

interface NumberRange {
  readonly from: number
  readonly to: number
  readonly isWhole?: boolean
}

/** The number that an option holds; nothing where it was not given. */
export function readNumber(
  call: Call,
  name: string,
  { from, to, isWhole = false }: NumberRange,
): number | undefined {
  const text = textOption(call, name)
  if (text === undefined) return undefined
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (number >= from && number <= to && (!isWhole || Number.isSafeInteger(number))) return number
  const kind = isWhole ? 'a whole number' : 'a number'
  throw new Failure('invalid-request', `--${name} must be ${kind} from ${from} to ${to}, not "${text}"`)
}
