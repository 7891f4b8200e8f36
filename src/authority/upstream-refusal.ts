/** What the upstream said went wrong, as far as it is a word of the standards or a status: the rest may be a secret. */
export interface UpstreamRefusal {
  readonly error?: string
  readonly status?: number
}

/** Of an error of `oauth4webapi`, or of one that it caused. */
export function upstreamRefusal(problem: unknown): UpstreamRefusal {
  const told: { error?: string; status?: number } = {}
  let part: unknown = problem
  for (let depth = 0; depth < deepest && typeof part === 'object' && part !== null; depth += 1) {
    const { error, status, cause } = read(part)
    if (typeof error === 'string' && errorCode.test(error)) told.error ??= error
    if (typeof status === 'number') told.status ??= status
    part = cause
  }
  return told
}

const deepest = 4
/** RFC 6749, sections 4.1.2.1 and 5.2, have no other. */
const errorCode = /^[a-z_]{1,64}$/

/** A challenge (RFC 9110, section 11.6.1) has its code among its parameters. */
function read(part: object): Readonly<Record<'error' | 'status' | 'cause', unknown>> {
  const challenge: unknown = Array.isArray(part) ? Reflect.get(Object(part[0]), 'parameters') : part
  const [error, status, cause] = ['error', 'status', 'cause'].map((name): unknown =>
    Reflect.get(Object(challenge), name),
  )
  return { error, status, cause }
}
