import { httpUrlComplaint } from './url-rules.ts'

/** A scope-token of RFC 6749, section 3.3. */
export function scopeComplaint(text: string): string | undefined {
  return isScope(text) ? undefined : 'must be one scope, without spaces and quotes'
}

/** What scopes begin with, before a slash. */
export function scopePrefixComplaint(text: string): string | undefined {
  const complaint = httpUrlComplaint(text)
  if (complaint !== undefined) return complaint
  if (text.endsWith('/')) return 'must not end in a slash'
  return isScope(text) ? undefined : 'must not hold spaces or quotes, as it is part of a scope'
}

function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)
}
