import { Failure } from '../failure/failure.ts'

/** A target has none (RFC 9112 §3.2), and who cuts it off elsewhere would speak of another thing than we act on. */
export function fragmentRefusal(target: string): Failure | undefined {
  if (!target.includes('#')) return undefined
  return new Failure('invalid-request', 'the request target must not contain #; in a name write it as %23')
}
