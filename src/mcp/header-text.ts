/** A header as sent once; Node joins repeated ones with a comma, and then it equals nothing in the body. */
export function headerText(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? withoutBlanks(value) : undefined
}

/** Blanks and tabs only (RFC 9110, section 5.5): to `trim` a no-break space is one too, but not to a proxy in front. */
function withoutBlanks(value: string): string {
  let [start, end] = [0, value.length]
  while (start < end && isBlank(value, start)) start += 1
  while (end > start && isBlank(value, end - 1)) end -= 1
  return start === 0 && end === value.length ? value : value.slice(start, end)
}

function isBlank(value: string, at: number): boolean {
  const code = value.charCodeAt(at)
  return code === 32 || code === 9
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
