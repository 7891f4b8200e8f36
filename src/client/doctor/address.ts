import { ClientError } from '../client-error.ts'
import { safeUrl, type UrlRule } from '../oauth/safe-url.ts'
import { printable } from '../oauth/server-words.ts'

/** Why a client would not call this address; nothing where it would. */
export function addressComplaint(text: string, rule: UrlRule): string | undefined {
  try {
    safeUrl(text, rule)
    return undefined
  } catch (error) {
    if (error instanceof ClientError) return printable(error.message)
    throw error
  }
}
