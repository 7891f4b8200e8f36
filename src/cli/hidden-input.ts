import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from '../failure/failure.ts'

/** One line from the terminal, which shows nothing of it. */
export async function askHidden(
  question: string,
  terminal: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream },
): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: terminal.input, output: nowhere, terminal: true, historySize: 0 })
  terminal.output.write(question)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  lines.once('line', resolve)
  for (const end of ['SIGINT', 'close'])
    lines.once(end, () => reject(new Failure('conflict', 'stopped; nothing was changed')))
  try {
    return await promise
  } finally {
    lines.close()
    terminal.output.write('\n')
  }
}
