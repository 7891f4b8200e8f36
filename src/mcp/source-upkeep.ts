export interface Upkeep {
  /** Runs the job now, or joins the run that is under way. */
  readonly now: () => Promise<void>
  /** Asks for another run shortly; after failures the longer pause stands. */
  readonly soon: () => void
  readonly stop: () => void
}

export interface Pauses {
  readonly successMs: number
  /** After a first failure; each further one doubles it, up to the limit. */
  readonly retryMs: number
  readonly maxRetryMs: number
}

/** Repeats a job that says whether it succeeded: never twice at once, at a steady pace, with growing pauses after failures. */
export function startUpkeep(job: () => Promise<boolean>, pauses: Pauses): Upkeep {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let failures = 0
  let isAsked = false
  let isStopped = false

  function plan(ms: number): void {
    clearTimeout(timer)
    if (!isStopped) timer = setTimeout(() => void now(), ms).unref()
  }

  async function run(): Promise<void> {
    isAsked = false
    const isDone = await job()
    failures = isDone ? 0 : failures + 1
    running = undefined
    if (!isDone) plan(Math.min(pauses.retryMs * 2 ** (failures - 1), pauses.maxRetryMs))
    else plan(isAsked ? pauses.retryMs : pauses.successMs)
  }

  function now(): Promise<void> {
    clearTimeout(timer)
    running ??= run()
    return running
  }

  function soon(): void {
    if (isAsked || failures > 0) return
    isAsked = true
    if (running === undefined) plan(pauses.retryMs)
  }

  function stop(): void {
    isStopped = true
    clearTimeout(timer)
  }

  return { now, soon, stop }
}

/** Waits for the work, but no longer than this. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, patience])
  clearTimeout(timer)
}
