import { untilAborted } from '../abort.ts'
import { ClientError } from '../client-error.ts'
import { bearerChallenge } from './challenge.ts'
import { repeatableCall } from './repeatable-call.ts'
import type { Renewal, Session } from './session.ts'
import type { Settings } from './settings.ts'
import type { StoredGrant } from './token-store.ts'

/** `fetch` with the token of a session, and with what has to happen when the server does not take it. */
export function authorizedFetch(session: Session, settings: Settings): typeof globalThis.fetch {
  return async (input, init) => {
    const since = session.moment()
    const call = await repeatableCall(input, init, settings)
    const patiently = <Value>(work: () => Promise<Value>): Promise<Value> =>
      call.signal === undefined ? work() : untilAborted(call.signal, work)
    let grant = await patiently(session.current)
    let how: Renewal['how'] | undefined
    let stepUps = 0
    const asked = new Set<string>()
    for (let attempt = 1; ; attempt += 1) {
      const response = await call.send(grant?.accessToken)
      const isLast = attempt === maxAttempts
      if (response.status === 401) {
        const challenge = await bearerChallenge(response)
        await response.body?.cancel()
        if (how === 'signed-in' || isLast) throw notAccepted(grant, settings, challenge?.description)
        const refusal = { used: grant, challenge, signal: call.signal, since, isFresh: how === 'refreshed' }
        const renewal = await patiently(() => session.renew(refusal))
        grant = renewal.grant
        how = renewal.how
      } else if (response.status === 403 && grant !== undefined && !isLast) {
        const challenge = await bearerChallenge(response)
        const needed = challenge?.error === 'insufficient_scope' ? challenge.scopes : []
        // What was asked for in vain is not asked for again.
        const isNew = needed.some((scope) => !asked.has(scope))
        if (!isNew || stepUps === maxStepUps) return response
        stepUps += 1
        for (const scope of needed) asked.add(scope)
        const refusal = { used: grant, challenge, signal: call.signal, since }
        const wider = await patiently(() => session.widen(refusal))
        if (wider === undefined) return response
        await response.body?.cancel()
        grant = wider
      } else return response
    }
  }
}

const maxStepUps = 2
const maxAttempts = 6

function notAccepted(
  grant: StoredGrant | undefined,
  { key }: Settings,
  words: string | undefined,
): ClientError {
  const told = words === undefined ? '' : ` It says: ${words}.`
  return new ClientError(
    'token_not_accepted',
    `${key} does not take a token that ${grant?.issuer ?? 'its issuer'} has just issued for it.${told} Its operator should compare the issuer and audience that it expects`,
    { status: 401 },
  )
}
