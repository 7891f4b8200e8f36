import type { SignInQuestion } from '../client/oauth/oauth-options.ts'
import { printable } from '../client/oauth/server-words.ts'

/** What a person is told before they are sent to sign in; `has` is what they have allowed already. */
export function tellWhy({ why, issuer, resource, scopes }: SignInQuestion, has: readonly string[]): string {
  if (why === 'sign-in') return `Sign in at ${printable(issuer)} to use ${resource}.\n`
  const more = scopes.filter((scope) => !has.includes(scope))
  const what = tellScopes(more.length === 0 ? scopes : more)
  return `This needs more than you have allowed so far: ${what}. Allow it at ${printable(issuer)} to go on.\n`
}

/** The scopes that say something to a person; the other lets a program stay signed in. */
export function tellScopes(scopes: readonly string[]): string {
  const telling = scopes.filter((scope) => scope !== 'offline_access')
  return telling.length === 0 ? 'nothing in particular' : printable(telling.join(', '))
}
