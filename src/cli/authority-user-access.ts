import { changeUser } from './authority-user-store.ts'
import { type Command, configOption, hasFlag, jsonOption } from './command.ts'
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
  options: { config: configOption, 'password-stdin': passwordOption, json: jsonOption },
  details: `${howToGivePassword}\n${whatEnds}`,
  example: 'postern authority users password ada',
  run: (call) =>
    changeUser(call, async (users, login) => {
      await users.setPassword(login, await newPassword(call))
      return { text: 'has a new password', view: { hasNewPassword: true } }
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
    json: jsonOption,
  },
  example: 'postern authority users admin ada --revoke',
  run: (call) =>
    changeUser(call, async (users, login) => {
      const isAdmin = !hasFlag(call, 'revoke')
      await users.setAdmin(login, isAdmin)
      return { text: `is ${isAdmin ? 'an' : 'no'} administrator`, view: { isAdmin } }
    }),
}

export const usersDisable: Command = {
  name: 'authority users disable',
  group: 'The authority',
  summary: 'let somebody sign in and refresh tokens no more',
  words: 'LOGIN',
  options: { config: configOption, json: jsonOption },
  details: whatEnds,
  example: 'postern authority users disable ada',
  run: (call) =>
    changeUser(call, async (users, login) => {
      await users.disable(login)
      return { text: 'can no longer sign in', view: { isDisabled: true } }
    }),
}

export const usersEnable: Command = {
  name: 'authority users enable',
  group: 'The authority',
  summary: 'let somebody who was disabled sign in again',
  words: 'LOGIN',
  options: { config: configOption, json: jsonOption },
  example: 'postern authority users enable ada',
  run: (call) =>
    changeUser(call, async (users, login) => {
      await users.enable(login)
      return { text: 'can sign in', view: { isDisabled: false } }
    }),
}

export const usersRemove: Command = {
  name: 'authority users remove',
  group: 'The authority',
  summary: 'remove somebody for good',
  words: 'LOGIN',
  options: { config: configOption, json: jsonOption },
  details: 'Ends all that they signed in to. A later user of the same login is somebody else.',
  example: 'postern authority users remove ada',
  run: (call) =>
    changeUser(call, async (users, login) => {
      await users.remove(login)
      return { text: 'is removed', view: { isRemoved: true } }
    }),
}
