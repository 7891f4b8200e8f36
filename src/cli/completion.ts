import { Failure } from '../failure/failure.ts'
import { type Command, onlyWord } from './command.ts'
import { bashCompletion } from './completion-bash.ts'
import { fishCompletion } from './completion-fish.ts'
import { completionPlaces, type Place } from './completion-places.ts'
import { zshCompletion } from './completion-zsh.ts'

const shells: ReadonlyMap<string, (places: readonly Place[]) => string> = new Map([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
])

export const completion: Command = {
  name: 'completion',
  group: 'Else',
  summary: 'print what completes commands and options in a shell',
  words: [...shells.keys()].join('|'),
  options: {},
  details: `bash:  source <(postern completion bash), in ~/.bashrc
zsh:   source <(postern completion zsh), in ~/.zshrc below compinit
fish:  postern completion fish > ~/.config/fish/completions/postern.fish`,
  example: 'postern completion bash',
  run: async (call) => {
    const shell = onlyWord(call, `shell: ${[...shells.keys()].join(', ')}`)
    const script = shells.get(shell)
    if (script === undefined)
      throw new Failure(
        'invalid-request',
        `there is completion for ${[...shells.keys()].join(', ')}, not "${shell}"`,
      )
    call.io.out(script(completionPlaces(call.commands)))
    return 0
  },
}
