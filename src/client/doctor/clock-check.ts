import { bad, good, left, type Outcome } from './check.ts'
import { durationWords } from './duration-words.ts'
import type { Examination } from './examination.ts'

/** How far the clocks of others are ahead of ours, in milliseconds. */
export interface Clocks {
  readonly server: number | undefined
  readonly issuer: number | undefined
}

/** Three clocks: the one that disagrees with the two others is wrong. */
export async function checkClocks(examination: Examination, clocks: Clocks): Promise<void> {
  await examination.check('clock', () => judgeClocks(clocks))
}

function judgeClocks({ server, issuer }: Clocks): Outcome {
  if (server === undefined && issuer === undefined) return left('No answer said what time it is')
  const [serverOff, issuerOff] = [isOff(server), isOff(issuer)]
  if (!serverOff && !issuerOff) return good(`Right within ${toleranceMs / 1000} seconds`)
  if (serverOff && issuerOff && !isOff((server ?? 0) - (issuer ?? 0)))
    return wrong('this machine', -(server ?? 0))
  if (!serverOff) return wrong('the authorization server', issuer ?? 0)
  return issuer === undefined
    ? wrong('the server, or of this machine,', server ?? 0)
    : wrong('the server', server ?? 0)
}

function wrong(whose: string, aheadMs: number): Outcome {
  const way = aheadMs > 0 ? 'fast' : 'slow'
  return bad({
    cause: 'clock',
    detail: `The clock of ${whose} is ${durationWords(Math.abs(aheadMs))} ${way}: it takes tokens for expired, or for not yet valid`,
    cure: `Set the clock of ${whose} right, and keep it so (NTP).`,
  })
}

const toleranceMs = 60_000

function isOff(aheadMs: number | undefined): boolean {
  return aheadMs !== undefined && Math.abs(aheadMs) > toleranceMs
}
