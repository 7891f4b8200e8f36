import type { Users } from '../authority/users.ts'
import { type Call, hasFlag, onlyWord, printJson } from './command.ts'

/** Loaded when needed: the other commands need neither a store nor the authority. */
export async function withUsers<Result>(
  call: Call,
  work: (users: Users) => Promise<Result>,
): Promise<Result> {
  const { withStore } = await import('./with-store.ts')
  const { createUsers } = await import('../authority/users.ts')
  return withStore(call, ({ store, now }) => work(createUsers(store, now, call.io.passwordCost)))
}

/** What has come of a change, for people and for machines. */
export interface Changed {
  readonly text: string
  readonly view: Readonly<Record<string, unknown>>
}

/** For commands that name one user. */
export async function changeUser(
  call: Call,
  change: (users: Users, login: string) => Promise<Changed>,
): Promise<number> {
  const login = onlyWord(call, 'login')
  const { text, view } = await withUsers(call, (users) => change(users, login))
  if (hasFlag(call, 'json')) printJson(call, { login, ...view })
  else call.io.out(`${login} ${text}.\n`)
  return 0
}
