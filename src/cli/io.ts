export type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP'

/** The world outside, as commands see it; only `main.ts` ties it to the process. */
export interface Io {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly hasColor: boolean
  /** Milliseconds since the program was started. */
  readonly elapsed: () => number
  readonly onSignal: (signal: Signal, listener: () => void) => void
  /** The program that started this one has ended. */
  readonly onOrphaned: (listener: () => void) => void
  /** Errors that nobody caught. */
  readonly onCrash: (listener: (error: unknown) => void) => void
  /** Ends the program at once, whatever is under way. */
  readonly exit: (code: number) => void
}
