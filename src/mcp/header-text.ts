/** A header as sent once; Node joins repeated ones with a comma, and then it equals nothing in the body. */
export function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value.trim() : undefined
}

/** Undoes `=?base64?…?=`, in which texts travel that a header cannot hold; undefined if that is broken. */
export function decodeHeader(value: string): string | undefined {
  if (!sentinel.test(value)) return isVisible.test(value) ? value : undefined
  const inner = value.slice(opening.length, -closing.length)
  const bytes = Buffer.from(inner, 'base64')
  const text = bytes.toString('utf8')
  return bytes.toString('base64') === inner && Buffer.from(text, 'utf8').equals(bytes) ? text : undefined
}

/** The markers are in lower case only. */
const sentinel = /^=\?base64\?.*\?=$/
const opening = '=?base64?'
const closing = '?='
const isVisible = /^[\t\x20-\x7e]*$/
