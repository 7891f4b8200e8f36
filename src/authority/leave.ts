import type { InteractionResults, Provider } from 'oidc-provider'
import type { Visit } from './visit.ts'

type Session = InstanceType<Provider['Session']>

/** The client gets `access_denied`, as RFC 6749, section 4.1.2.1 has it. */
export function cancel(visit: Visit): Promise<void> {
  const denial = { error: 'access_denied', error_description: 'the person did not allow it' }
  return finish(visit, denial, false)
}

/** Signs this browser out and asks who it is; what was allowed to apps stays. */
export async function switchAccount(visit: Visit): Promise<void> {
  await forgetSession(visit)
  await finish(visit, { [switched]: true }, false)
}

/** Whether the person has just said that they are somebody else. */
export function hasSwitched({ interaction }: Visit): boolean {
  return interaction.lastSubmission?.[switched] === true
}

const switched = 'switchedAccount'

export async function finish(visit: Visit, result: InteractionResults, isAdded: boolean): Promise<void> {
  const { exchange, people } = visit
  await followSession(visit)
  await people.context.provider().interactionFinished(exchange.request, exchange.response, result, {
    mergeWithLastSubmission: isAdded,
  })
}

/**
 * Ends the sessions of this browser, but for that of an account which has just signed in. Left to itself, the provider
 * answers a change of account with a page that needs a script, and takes back all that the person before had allowed.
 */
export async function forgetSession(visit: Visit, but?: string): Promise<void> {
  const { interaction, people } = visit
  const { session } = interaction
  const kept = await keptSession(visit)
  if (session !== undefined && (session.accountId !== but || session.uid !== kept.uid)) {
    interaction.session = undefined
    await interaction.persist()
    const found = await people.context.provider().Session.findByUid(session.uid)
    if (found?.accountId !== but) await found?.destroy()
  }
  if (kept.accountId !== undefined && kept.accountId !== but) await kept.destroy()
}

/**
 * Two windows in which a person signed in at once made two sessions, of which the browser has kept one: both go on with
 * that. What was begun for one account never goes on with the session of another.
 */
async function followSession(visit: Visit): Promise<void> {
  const { interaction } = visit
  const { session } = interaction
  if (session === undefined) return
  const kept = await keptSession(visit)
  if (kept.accountId !== session.accountId || kept.uid === session.uid) return
  interaction.session = { ...session, uid: kept.uid, cookie: kept.jti }
  await interaction.persist()
}

/** The session of the browser's cookie, or an empty one. */
function keptSession({ exchange, people }: Visit): Promise<Session> {
  const provider = people.context.provider()
  return provider.Session.get(provider.createContext(exchange.request, exchange.response))
}
