import type { AuthRequest } from '../../src/auth/authenticator.ts'

export const resource = 'http://127.0.0.1:8080/mcp'

/** For titles of tests. */
export const oneLine: { readonly breakLength: number } = { breakLength: Number.POSITIVE_INFINITY }

/** A request as it would reach the authenticator. */
export function callWith(...headers: readonly (readonly [name: string, value: string])[]): AuthRequest {
  const values: Record<string, string> = {}
  for (const [name, value] of headers) values[name.toLowerCase()] ??= value
  return { method: 'POST', url: resource, headers: values, rawHeaders: headers.flat(), query: '' }
}

export function bearer(token: string): AuthRequest {
  return callWith(['Host', '127.0.0.1:8080'], ['Authorization', `Bearer ${token}`])
}
