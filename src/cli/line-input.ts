import { createInterface, type Interface } from 'node:readline'

/** What somebody did at a prompt: a line, the end of all input (Ctrl-D), or Ctrl-C. */
export type Typed = { readonly kind: 'line'; readonly text: string } | { readonly kind: 'end' | 'interrupt' }

export interface LineInput {
  /** Whether a person types; otherwise the lines come from a file or another program, and no prompt is shown. */
  readonly isTyped: boolean
  readonly next: (prompt: string) => Promise<Typed>
  /** Ctrl-C that came as a signal: to whoever waits at a prompt it is the same. False if nobody does. */
  readonly interrupt: () => boolean
  /** Whatever may still come is not waited for. */
  readonly close: () => void
}

export interface LineStreams {
  readonly input: NodeJS.ReadableStream
  readonly output: NodeJS.WritableStream
  readonly isTerminal: boolean
}

export function lineInput(streams: LineStreams): LineInput {
  return streams.isTerminal ? typedLines(streams) : pipedLines(streams)
}

/** Between two lines the terminal is left as it was, so that Ctrl-C is a signal again. */
function typedLines({ input, output }: LineStreams): LineInput {
  let history: string[] = []
  // Whoever pastes several lines gives them to one prompt, and the beginning of the last one too.
  const pasted: string[] = []
  let begun = ''
  let open: Interface | undefined
  const next = async (prompt: string): Promise<Typed> => {
    const early = pasted.shift()
    if (early !== undefined) {
      output.write(`${prompt}${early}\n`)
      return { kind: 'line', text: early }
    }
    const lines = createInterface({ input, output, terminal: true, prompt, history, historySize: 500 })
    lines.on('history', (kept: string[]) => {
      history = kept
    })
    const typing = firstOf(lines, pasted)
    lines.prompt()
    lines.write(begun)
    open = lines
    const typed = await typing
    open = undefined
    begun = typed.kind === 'line' ? lines.line : ''
    lines.close()
    if (typed.kind !== 'line') output.write('\n')
    return typed
  }
  return { isTyped: true, next, interrupt: () => open?.emit('SIGINT') ?? false, close: () => {} }
}

function firstOf(lines: Interface, pasted: string[]): Promise<Typed> {
  const { promise, resolve } = Promise.withResolvers<Typed>()
  lines.once('line', (text) => {
    resolve({ kind: 'line', text })
    lines.on('line', (more) => pasted.push(more))
  })
  lines.once('SIGINT', () => resolve({ kind: 'interrupt' }))
  lines.once('close', () => resolve({ kind: 'end' }))
  return promise
}

function pipedLines({ input }: LineStreams): LineInput {
  let lines: Interface | undefined
  let items: AsyncIterator<string> | undefined
  const next = async (): Promise<Typed> => {
    lines ??= createInterface({ input, terminal: false })
    items ??= lines[Symbol.asyncIterator]()
    const item = await items.next()
    return item.done === true ? { kind: 'end' } : { kind: 'line', text: item.value }
  }
  return { isTyped: false, next, interrupt: () => false, close: () => lines?.close() }
}
