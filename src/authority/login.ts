import { Failure } from '../failure/failure.ts'

/** The one spelling of a login: what a person types, without spaces around it, in lower case. */
export function foldLogin(typed: string): string {
  return typed
    .slice(0, longest * 4)
    .normalize('NFKC')
    .trim()
    .toLowerCase()
}

/** A new login in its one spelling; otherwise a failure that says what would be right. */
export function requireLogin(typed: string): string {
  const login = foldLogin(typed)
  if (login.length >= 1 && login.length <= longest && !unfit.test(login)) return login
  throw new Failure(
    'invalid-request',
    `a login has 1 to ${longest} visible characters and no spaces, such as ada or ada@example.org`,
    { field: 'login' },
  )
}

const longest = 128
/** White space, controls, and characters that are invisible or turn the direction of text. */
const unfit = /[\s\p{C}]/u
