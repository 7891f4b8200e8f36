import { commonOptions } from './call.ts'
import { type Command, type CommandOption, commandGroups } from './command.ts'
import { createStyle } from './style.ts'

interface Terminal {
  readonly hasColor: boolean
}

export function overview(commands: readonly Command[], terminal: Terminal): string {
  const { bold } = createStyle(terminal)
  const width = Math.max(...commands.map(({ name }) => name.length))
  return [
    `${bold('postern')}: the gate in front of a team's tools and models`,
    '',
    'Usage: postern COMMAND [OPTIONS]',
    '',
    ...commandGroups.flatMap((group) => {
      const members = commands.filter((command) => command.group === group)
      const lines = members.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
      return lines.length === 0 ? [] : [bold(group), ...lines, '']
    }),
    '"postern COMMAND --help" shows the options of a command and an example.',
    '',
  ].join('\n')
}

export function commandHelp(command: Command, terminal: Terminal): string {
  const { bold } = createStyle(terminal)
  const options = Object.entries({ ...command.options, ...commonOptions }).map(
    ([name, option]) => [signature(name, option), option.description] as const,
  )
  const width = Math.max(...options.map(([left]) => left.length))
  return [
    `${bold(`postern ${command.name}`)}: ${command.summary}`,
    '',
    `Usage: ${['postern', command.name, '[OPTIONS]', command.words].filter(Boolean).join(' ')}`,
    '',
    ...options.map(([left, description]) => `  ${left.padEnd(width)}  ${description}`),
    '',
    ...(command.details === undefined ? [] : [command.details, '']),
    `Example: ${command.example}`,
    '',
  ].join('\n')
}

function signature(name: string, option: CommandOption): string {
  if (option.type === 'boolean') return `--${name}`
  return `--${name} ${option.placeholder}${option.multiple === true ? ' …' : ''}`
}
