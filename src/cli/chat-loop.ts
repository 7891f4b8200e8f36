import type { Content } from '../client/models/content.ts'
import { createStopper, type Stopper } from './chat-stopper.ts'
import { type Chat, takeTurn } from './chat-turn.ts'
import type { Call } from './command.ts'
import { describeError } from './describe-error.ts'
import { createStyle } from './style.ts'
import { oneLine } from './terminal-text.ts'

/** Line after line, until somebody has enough; answers with the exit code. */
export async function converse(call: Call, chat: Chat): Promise<number> {
  const { io } = call
  const lines = io.openLines()
  const { bold, dim } = createStyle(io)
  const say = (words: string): void => io.err(`${dim(words)}\n`)
  const stopper = createStopper(io, lines)
  const answer = answerer(call, chat, { say, stopper, isTyped: lines.isTyped })
  let isLastWarning = false
  if (lines.isTyped) say(`You talk with ${oneLine(chat.model)}. /help tells what else you can type.`)
  try {
    for (;;) {
      const typed = await lines.next(bold('> '))
      if (typed.kind === 'line') {
        const next = await answer(typed.text.trim())
        if (next === 'end') return 0
        isLastWarning = next === 'stopped'
      } else {
        if (typed.kind === 'end' || isLastWarning) return 0
        isLastWarning = true
        say('Ctrl-C once more, or /quit, ends the chat.')
      }
    }
  } finally {
    lines.close()
  }
}

interface Manner {
  readonly say: (words: string) => void
  readonly stopper: Stopper
  readonly isTyped: boolean
}

type Next = 'go-on' | 'stopped' | 'end'

/** Does what a line asks for. */
function answerer(
  call: Call,
  chat: Chat,
  { say, stopper, isTyped }: Manner,
): (line: string) => Promise<Next> {
  let said: readonly Content[] = []
  return async (line) => {
    if (line === '/quit' || line === '/exit') return 'end'
    if (line.startsWith('/')) {
      if (line === '/clear') said = []
      say(commandAnswers.get(line) ?? `There is no ${line}. ${help}`)
      return 'go-on'
    }
    if (line === '') return 'go-on'
    const turn = await takeTurn(call.io, chat, { said, message: line, stopper })
    said = turn.said
    // A person reads the error and tries again; a script would go on without an answer that it needs.
    if (turn.error !== undefined && !isTyped) throw turn.error
    if (turn.error !== undefined) call.io.err(describeError(turn.error, call))
    if (turn.isStopped) say('Stopped.')
    return turn.isStopped ? 'stopped' : 'go-on'
  }
}

const help = '/clear forgets what was said, /quit ends the chat, Ctrl-C stops an answer.'

const commandAnswers: ReadonlyMap<string, string> = new Map([
  ['/help', help],
  ['/clear', 'All that was said is forgotten.'],
])
