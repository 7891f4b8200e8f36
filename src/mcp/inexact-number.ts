/**
 * Whether a JSON value holds an integer that may have been another one in its text: from 2 to the power of 53 on, several
 * texts are read as one number. An id of 64 bits would become that of something else.
 */
export function hasInexact(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < longestId
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexact)
}

/** From here on nobody means an id, but a measure. */
const longestId = 1e21

export const inexactComplaint =
  'holds an integer beyond 9007199254740991, which cannot be handed on exactly; where the API takes it as text, send text'
