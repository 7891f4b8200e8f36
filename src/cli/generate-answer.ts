import type { Answer } from '../client/models/answer.ts'
import type { Io } from './io.ts'
import { createStyle } from './style.ts'
import { oneLine, shownText } from './terminal-text.ts'

/** Shows an answer that comes in pieces, and says why it ended if that is not because it was done. */
export interface AnswerPrinter {
  readonly text: () => string
  /** Takes note of a piece. */
  readonly add: (piece: Answer) => void
  readonly print: (text: string) => void
  /** The exit code. */
  readonly end: (isForMachines?: boolean) => number
}

export function answerPrinter(io: Io): AnswerPrinter {
  let text = ''
  let isLineOpen = false
  let ended: string | undefined
  let isRefused = false
  return {
    text: () => text,
    add: (piece) => {
      text += piece.text
      const { blockReason } = piece.promptFeedback ?? {}
      isRefused ||= blockReason !== undefined
      ended = piece.candidates[0]?.finishReason ?? blockReason ?? ended
    },
    print: (piece) => {
      if (piece === '') return
      io.out(shownText(piece, io.screen() !== undefined))
      isLineOpen = !piece.endsWith('\n')
    },
    end: (isForMachines = false) => {
      if (isLineOpen) io.out('\n')
      isLineOpen = false
      if (!isForMachines && ended !== undefined && ended !== 'STOP') io.err(whyEnded(ended, io))
      return isRefused || (text === '' && ended !== undefined && ended !== 'STOP') ? 1 : 0
    },
  }
}

function whyEnded(reason: string, io: Io): string {
  const words = reasons.get(reason) ?? `The answer ended: ${oneLine(reason)}.`
  return `${createStyle(io).dim(words)}\n`
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['MAX_TOKENS', 'The answer was cut at its longest; --max-tokens allows more.'],
  ['SAFETY', 'The model refused to go on (SAFETY).'],
])
