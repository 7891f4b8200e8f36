/** One thing that was looked at. Nothing in it is a secret. */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'failed' | 'skipped'
  /** What was found, in plain words. */
  readonly detail: string
  /** A stable word for what is wrong, such as `wrong_audience`. */
  readonly cause?: string
  /** The one thing to change; missing where another check has it. */
  readonly cure?: string
  /** That a new sign-in is the cure; with these scopes, where they matter. */
  readonly signIn?: SignInCure
  /** How long it took, in milliseconds. */
  readonly ms: number
}

export interface SignInCure {
  readonly scopes?: readonly string[]
}

export interface Problem {
  readonly cause: string
  readonly detail: string
  readonly cure?: string
  readonly signIn?: SignInCure
}

/** What a check came to, and what the next ones need of it; a check that failed may still have learnt it. */
export type Outcome<Value = undefined> = Omit<Check, 'name' | 'ms'> & { readonly value?: Value | undefined }

export function good<Value>(detail: string, value?: Value): Outcome<Value> {
  return { state: 'ok', detail, value }
}

export function bad<Value>(problem: Problem, value?: Value): Outcome<Value> {
  return { state: 'failed', ...problem, value }
}

export function left<Value>(detail: string, value?: Value): Outcome<Value> {
  return { state: 'skipped', detail, value }
}
