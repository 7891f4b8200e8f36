import { changeUser } from './authority-user-store.ts'
import { type Command, configOption, hasFlag } from './command.ts'
import { howToGivePassword, newPassword, passwordOption } from './new-password.ts'

const whatEnds: string = [
  'Sessions, refresh tokens and opaque access tokens end at once; signed access tokens end by themselves, after',
  'authority.accessTokenSeconds at the latest.',
].join('\n')

export const usersPassword: Command = {
  name: 'authority users password',
  group: 'The authority',
  summary: 'give somebody a new password, and sign them out everywhere',
  words: 'LOGIN',
  options: { config: configOption, 'password-stdin': passwordOption },
  details: `${howToGivePassword}\n${whatEnds}`,
  example: 'postern authority users password ada',
  run: (call) =>
    changeUser(call, async (users, login) => {
      await users.setPassword(login, await newPassword(call))
      return `${login} has a new password.`
    }),
}

export const usersAdmin: Command = {
  name: 'authority users admin',
  group: 'The authority',
  summary: 'make somebody an administrator, or take that back',
  words: 'LOGIN',
  options: {
    config: configOption,
    revoke: { type: 'boolean', description: 'Take it back: the next token is without such scopes.' },
  },
  example: 'postern authority users admin ada --revoke',
  run: (call) =>
    changeUser(call, async (users, login) => {
      const isAdmin = !hasFlag(call, 'revoke')
      await users.setAdmin(login, isAdmin)
      return `${login} is ${isAdmin ? 'an' : 'no'} administrator.`
    }),
}

export const usersDisable: Command = {
  name: 'authority users disable',
  group: 'The authority',
  summary: 'let somebody sign in and refresh tokens no more',
  words: 'LOGIN',
  options: { config: configOption },
  details: whatEnds,
  example: 'postern authority users disable ada',
  run: (call) =>
    changeUser(call, async (users, login) => {
      await users.disable(login)
      return `${login} can no longer sign in.`
    }),
}

export const usersEnable: Command = {
  name: 'authority users enable',
  group: 'The authority',
  summary: 'let somebody who was disabled sign in again',
  words: 'LOGIN',
  options: { config: configOption },
  example: 'postern authority users enable ada',
  run: (call) =>
    changeUser(call, async (users, login) => {
      await users.enable(login)
      return `${login} can sign in.`
    }),
}

export const usersRemove: Command = {
  name: 'authority users remove',
  group: 'The authority',
  summary: 'remove somebody for good',
  words: 'LOGIN',
  options: { config: configOption },
  details: 'Ends all that they signed in to. A later user of the same login is somebody else.',
  example: 'postern authority users remove ada',
  run: (call) =>
    changeUser(call, async (users, login) => {
      await users.remove(login)
      return `${login} is removed.`
    }),
}
