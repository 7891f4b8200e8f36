import { hash, timingSafeEqual } from 'node:crypto'
import { errors, type Interaction } from 'oidc-provider'
import { Failure } from '../failure/failure.ts'
import { type ClientIdentity, identifyClient } from './client-identity.ts'
import type { People } from './people.ts'
import type { Exchange } from './route.ts'

/** One request of a person who is in the middle of an interaction. */
export interface Visit {
  readonly people: People
  readonly exchange: Exchange
  readonly interaction: Interaction
  readonly client: ClientIdentity
  readonly clientId: string
  readonly staysConnected: boolean
  /** The address of the interaction's page. */
  readonly path: string
  readonly formToken: string
}

/** The interaction is the one of the browser's cookie, and must be the one of the address. */
export async function openVisit(people: People, exchange: Exchange): Promise<Visit> {
  const { config, provider } = people.context
  const interaction = await provider().interactionDetails(exchange.request, exchange.response)
  const { params, uid } = interaction
  if (uid !== exchange.params.uid) throw new errors.SessionNotFound('another interaction has begun')
  const clientId = typeof params.client_id === 'string' ? params.client_id : ''
  const client = await provider().Client.find(clientId)
  if (client === undefined) throw new errors.SessionNotFound('the client is gone')
  return {
    people,
    exchange,
    interaction,
    client: identifyClient(client, params.redirect_uri, config),
    clientId,
    staysConnected: client.grantTypeAllowed('refresh_token'),
    path: `/sign-in/${uid}`,
    formToken: formTokenOf(interaction),
  }
}

/**
 * Besides the interaction's cookie, a form must have been sent by our own page: its token comes from what only the
 * server knows of the interaction, and the browser, where it names an origin, must name ours.
 */
export function requireOwnForm({ exchange, people, formToken }: Visit): void {
  const { origin, 'sec-fetch-site': site } = exchange.request.headers
  const isOurs = origin === undefined || origin === new URL(people.context.config.authority.issuer).origin
  const isSameSite = site === undefined || site === 'same-origin' || site === 'none'
  const sent = Buffer.from(exchange.form.get('token') ?? '')
  const expected = Buffer.from(formToken)
  const isToken = sent.length === expected.length && timingSafeEqual(sent, expected)
  if (isOurs && isSameSite && isToken) return
  throw new Failure('forbidden', 'the form did not come from this page: go back to the app and start again', {
    reason: 'foreign_form',
  })
}

export function redirect({ response }: Exchange, location: string): void {
  response.writeHead(303, { location, 'content-length': '0', 'cache-control': 'no-store' }).end()
}

/** `cid` is a random text that never leaves the server. */
function formTokenOf({ cid, uid }: Interaction): string {
  return hash('sha256', `form ${uid} ${cid}`, 'base64url')
}
