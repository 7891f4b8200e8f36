import type { Users } from '../authority/users.ts'
import { type Call, onlyWord } from './command.ts'

/** Loaded when needed: the other commands need neither a store nor the authority. */
export async function withUsers<Result>(
  call: Call,
  work: (users: Users) => Promise<Result>,
): Promise<Result> {
  const { withStore } = await import('./with-store.ts')
  const { createUsers } = await import('../authority/users.ts')
  return withStore(call, ({ store, now }) => work(createUsers(store, now, call.io.passwordCost)))
}

/** For commands that name one user; `change` says what has come of it. */
export async function changeUser(
  call: Call,
  change: (users: Users, login: string) => Promise<string>,
): Promise<number> {
  const login = onlyWord(call, 'login')
  call.io.out(`${await withUsers(call, (users) => change(users, login))}\n`)
  return 0
}
