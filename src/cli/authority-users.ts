import type { User } from '../authority/user-row.ts'
import type { Users } from '../authority/users.ts'
import { withUsers } from './authority-user-store.ts'
import {
  type Command,
  configOption,
  hasFlag,
  jsonOption,
  onlyWord,
  printJson,
  textOption,
} from './command.ts'
import { howToGivePassword, newPassword, passwordOption } from './new-password.ts'
import { formatTable, formatTime, isoTime } from './table.ts'

export const usersAdd: Command = {
  name: 'authority users add',
  group: 'The authority',
  summary: 'add somebody who can sign in with a password',
  words: 'LOGIN',
  options: {
    config: configOption,
    name: { type: 'string', placeholder: 'NAME', description: 'What pages call them (default the login).' },
    admin: { type: 'boolean', description: 'Whether they can grant the scopes that are for administrators.' },
    'password-stdin': passwordOption,
    json: jsonOption,
  },
  details: howToGivePassword,
  example: 'postern authority users add ada --admin',
  run: async (call) => {
    const login = onlyWord(call, 'login')
    const user = await withUsers(call, async (users) =>
      users.add({
        login,
        name: textOption(call, 'name') ?? '',
        password: await newPassword(call),
        isAdmin: hasFlag(call, 'admin'),
      }),
    )
    if (hasFlag(call, 'json')) printJson(call, userForMachines(user))
    else call.io.out(`Added ${user.login}${user.isAdmin ? ', an administrator' : ''}.\n`)
    return 0
  },
}

export const usersList: Command = {
  name: 'authority users list',
  group: 'The authority',
  summary: 'list who can sign in',
  options: { config: configOption, json: jsonOption },
  example: 'postern authority users list --json',
  run: async (call) => {
    const all = await withUsers(call, everyone)
    if (hasFlag(call, 'json')) printJson(call, { users: all.map(userForMachines) })
    else call.io.out(all.length === 0 ? nobodyYet : formatTable(headings, all.map(userForPeople), call.io))
    return 0
  },
}

async function everyone(users: Users): Promise<readonly User[]> {
  const all: User[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await users.list({ limit: 200, after })
    all.push(...page.users)
    after = page.next
  }
  return all
}

const nobodyYet = 'There is nobody yet. Add somebody with "postern authority users add LOGIN".\n'
/** The id is what events and sessions have as the principal. */
const headings = ['LOGIN', 'NAME', 'ADMIN', 'SIGNS IN', 'ADDED', 'ID']

function userForPeople({ id, login, name, isAdmin, isDisabled, upstream, createdAt }: User): string[] {
  const way = upstream === undefined ? 'with a password' : `at ${upstream.issuer}`
  return [login, name, isAdmin ? 'yes' : '', isDisabled ? 'disabled' : way, formatTime(createdAt), id]
}

function userForMachines(user: User): object {
  const { id, login, name, isAdmin, isDisabled, upstream, createdAt } = user
  return { id, login, name, isAdmin, isDisabled, upstream: upstream ?? null, createdAt: isoTime(createdAt) }
}
