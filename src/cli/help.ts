import { Failure } from '../failure/failure.ts'
import type { Command } from './command.ts'
import { commandsBelow } from './find-command.ts'
import { commandHelp, overview } from './help-text.ts'

export const help: Command = {
  name: 'help',
  group: 'Else',
  summary: 'list the commands, or show the help of one',
  words: '[COMMAND]',
  options: {},
  example: 'postern help serve',
  run: async ({ commands, io, words }) => {
    const asked = words.join(' ')
    const command = commands.find(({ name }) => name === asked)
    const listed = asked === '' ? commands : commandsBelow(asked, commands)
    if (command === undefined && listed.length === 0)
      throw new Failure('invalid-request', `there is no command "${asked}"; "postern help" lists all.`)
    io.out(command === undefined ? overview(listed, io) : commandHelp(command, io))
    return 0
  },
}
