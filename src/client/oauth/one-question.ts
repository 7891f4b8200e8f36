import { oneAtATime } from './one-at-a-time.ts'
import type { StoredGrant } from './token-store.ts'

interface Question {
  /** Questions of the same name are one; one without a name is asked in any case. */
  readonly name?: string
  /** When the call began that needs the answer. */
  readonly since: number
  /** What may be there by now, because somebody was asked meanwhile. */
  readonly found: () => Promise<StoredGrant | undefined>
  /** Nothing where nobody may be asked. */
  readonly ask: () => Promise<StoredGrant | undefined>
  /** Whoever asks may give up; the person has not answered then. */
  readonly signal: AbortSignal | undefined
}

interface Reply {
  readonly grant: StoredGrant | undefined
  readonly how: 'found' | 'signed-in'
}

export interface OneQuestion {
  /** A moment, for `since`. */
  readonly moment: () => number
  readonly ask: (question: Question) => Promise<Reply>
  /** Answers of before are for nobody any more. */
  readonly forget: () => void
}

/** A person is asked one thing at a time, and once: their answer is also for the calls that began before it. */
export function oneQuestion(): OneQuestion {
  const inTurn = oneAtATime()
  const outcomes = new Map<string, Outcome>()
  let clock = 0
  const moment = (): number => {
    clock += 1
    return clock
  }

  async function reply({ name = '', since, found, ask, signal }: Question): Promise<Reply> {
    const there = await found()
    if (there !== undefined) return { grant: there, how: 'found' }
    const earlier = outcomes.get(name)
    if (earlier !== undefined && earlier.endedAt > since)
      return { grant: await earlier.answer, how: 'signed-in' }
    const answer = ask()
    await answer.catch(() => undefined)
    if (name !== '' && signal?.aborted !== true) outcomes.set(name, { answer, endedAt: moment() })
    return { grant: await answer, how: 'signed-in' }
  }

  return { moment, ask: (question) => inTurn(() => reply(question)), forget: () => outcomes.clear() }
}

interface Outcome {
  readonly answer: Promise<StoredGrant | undefined>
  readonly endedAt: number
}
