import type { LineInput } from './line-input.ts'

export type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP'

/** The world outside, as commands see it; only `main.ts` ties it to the process. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Everything on standard input, up to its end. */
  readonly readInput: () => Promise<string>
  /** Asks on the terminal and shows nothing of what is typed; missing where standard input is no terminal. */
  readonly askHidden: ((question: string) => Promise<string>) | undefined
  /** Standard input line by line; on a terminal with a prompt. */
  readonly openLines: () => LineInput
  /** Waits for one key on the terminal; missing where standard input is no terminal. */
  readonly readKey: (() => Promise<string>) | undefined
  /** Shows a page in the browser of the person; false where there is none, or it does not start. */
  readonly openPage: (page: URL) => Promise<boolean>
  /** The size of the terminal that standard output is shown on, as it is now; nothing where there is none. */
  readonly screen: () => Screen | undefined
  /** Whether somebody reads standard error, and can be asked to do something. */
  readonly isAttended: boolean
  /** How hard passwords are hashed, if not as hard as they should be: for tests. */
  readonly passwordCost?:
    | { readonly logarithm: number; readonly blockSize: number; readonly parallelism: number }
    | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly hasColor: boolean
  /** Milliseconds since the program was started. */
  readonly elapsed: () => number
  readonly onSignal: (signal: Signal, listener: () => void) => void
  /** Lets a signal wait that would end the program, until what it returns is called. */
  readonly holdSignals: () => () => void
  /** The program that started this one has ended. */
  readonly onOrphaned: (listener: () => void) => void
  /** Errors that nobody caught. */
  readonly onCrash: (listener: (error: unknown) => void) => void
  /** Promises that were rejected, and that nobody waits for. */
  readonly onRejection: (listener: (reason: unknown) => void) => void
  /** Ends the program at once, whatever is under way. */
  readonly exit: (code: number) => void
}

interface Screen {
  readonly columns: number
  readonly rows: number
}
