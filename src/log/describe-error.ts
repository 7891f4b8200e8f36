/** An error may carry a whole request, so only these stay of what it holds besides the usual. */
const kept = ['reason', 'field', 'statusCode', 'syscall', 'constraint'] as const

/** `ECONNREFUSED`, `FST_ERR_VALIDATION`, `23505`: the code of an error, and no authorization code. */
const systemCode = /^(?:E[A-Z0-9]{2,20}|[A-Z]{2,10}(?:_[A-Z0-9]{1,20}){1,8}|[0-9A-Z]{5})$/

const maxErrors = 10

/** Type, code, message, stack and the chain of causes; `show` makes a part of it safe to write. */
export function describeError(error: Error, show: (part: unknown) => unknown): object {
  return {
    type: show(error.name),
    code: codeOf(error),
    message: show(error.message),
    ...Object.fromEntries(kept.map((name) => [name, plain(Reflect.get(error, name), show)])),
    stack: show(error.stack),
    cause: show(error.cause),
    ...(error instanceof AggregateError && { errors: error.errors.slice(0, maxErrors).map(show) }),
  }
}

/** The codes of a `Failure` are ours, and words. */
function codeOf(error: Error): string | undefined {
  const code: unknown = Reflect.get(error, 'code')
  if (typeof code !== 'string') return undefined
  return systemCode.test(code) || (error.name === 'Failure' && /^[a-z-]{2,32}$/.test(code)) ? code : undefined
}

function plain(value: unknown, show: (part: unknown) => unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? show(value) : undefined
}
