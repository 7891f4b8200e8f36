import type { InteractionResults } from 'oidc-provider'
import type { Visit } from './visit.ts'

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
  await people.context.provider().interactionFinished(exchange.request, exchange.response, result, {
    mergeWithLastSubmission: isAdded,
  })
}

/**
 * Left to itself, the provider answers a change of account with a page that needs a script, and takes back all that the
 * person before had allowed.
 */
export async function forgetSession({ interaction, people }: Visit): Promise<void> {
  const { session } = interaction
  if (session === undefined) return
  interaction.session = undefined
  await interaction.persist()
  const found = await people.context.provider().Session.findByUid(session.uid)
  await found?.destroy()
}
