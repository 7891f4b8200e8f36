import { errors } from 'oidc-provider'
import { Failure } from '../failure/failure.ts'
import { errorWords } from './error-words.ts'
import { hasSwitched } from './leave.ts'
import type { Complaint } from './page-sign-in.ts'
import type { People } from './people.ts'
import type { Exchange } from './route.ts'
import { finishSignIn, sendSignIn } from './sign-in-answer.ts'
import type { Upstream } from './upstream.ts'
import type { UpstreamLogin } from './upstream-exchange.ts'
import { upstreamRefusal } from './upstream-refusal.ts'
import { upstreamUser } from './upstream-users.ts'
import type { User } from './user-row.ts'
import { redirect, type Visit } from './visit.ts'

/** Sends the person to the upstream. */
export async function beginUpstream(visit: Visit): Promise<void> {
  const { people, interaction, exchange } = visit
  const upstream = required(people.upstream)
  const wait = await people.waitForUpstream(exchange.address)
  if (wait > 0) return sendSignIn(visit, tooMany(wait))
  const hint = interaction.params.login_hint
  const begun = await orComplaint(visit, () =>
    upstream.begin({
      loginHint: typeof hint === 'string' ? hint : undefined,
      mustAsk: hasSwitched(visit) || interaction.prompt.reasons.some((reason) => freshReasons.has(reason)),
    }),
  )
  if (begun === undefined) return
  await people.upstreamLogins.keep(interaction.uid, begun.login)
  redirect(exchange, begun.url.href)
}

/** The upstream knows one address to come back to; the cookie of the interaction is for the interaction's own. */
export async function returnFromUpstream(people: People, exchange: Exchange): Promise<void> {
  const { search, searchParams } = addressOf(exchange)
  const uid = await people.upstreamLogins.interactionOf(searchParams.get('state') ?? '')
  if (uid === undefined) throw new errors.SessionNotFound('no sign-in of this state is under way')
  redirect(exchange, `/sign-in/${uid}/upstream${search}`)
}

export async function endUpstream(visit: Visit): Promise<void> {
  const { people, interaction, exchange } = visit
  const answer = addressOf(exchange).searchParams
  // The address of the form that leads there, opened again after a complaint.
  if (!answer.has('state')) return redirect(exchange, visit.path)
  const at = people.context.now()
  const login = await people.upstreamLogins.take(interaction.uid, answer.get('state') ?? '')
  // An answer that was taken already, as when its page is loaded again: the sign-in goes on where it is.
  if (login === undefined) return redirect(exchange, visit.path)
  const user = await orComplaint(visit, () => signedIn(visit, required(people.upstream), { answer, login }))
  if (user !== undefined) await finishSignIn(visit, { user, at })
}

/** Reasons for which a session at the upstream is not enough. */
const freshReasons: ReadonlySet<string> = new Set(['login_prompt', 'max_age'])

interface Returned {
  readonly answer: URLSearchParams
  readonly login: UpstreamLogin
}

async function signedIn({ people }: Visit, upstream: Upstream, { answer, login }: Returned): Promise<User> {
  const person = await upstream.end(answer, login)
  return upstreamUser(people.context, upstream.config, person)
}

function required(upstream: Upstream | undefined): Upstream {
  if (upstream !== undefined) return upstream
  throw new Failure('not-found', 'people do not sign in elsewhere here')
}

/** Whatever goes wrong at the upstream, the person is back on the sign-in page and reads why. */
async function orComplaint<Value>(visit: Visit, work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { log, config } = visit.people.context
    const upstream = config.authority.upstream?.issuer
    const { error: upstream_error, status: upstream_status } = upstreamRefusal(error)
    log.warn(
      { reason: errorWords(error), upstream, upstream_error, upstream_status },
      'sign-in at the upstream failed',
    )
    sendSignIn(visit, complaintOf(error, config.authority.upstream?.name ?? ''))
    return undefined
  }
}

function complaintOf({ code, reason, message, cause }: Failure, name: string): Complaint {
  if (code === 'unavailable')
    return complaint(503, `${name} cannot be reached at this moment. Try again in a minute.`)
  if (reason === 'upstream_cancelled') return complaint(400, `The sign-in at ${name} was cancelled.`)
  if (reason === 'upstream_refused') {
    const { error } = upstreamRefusal(cause)
    const code = error === undefined ? '' : ` (${error})`
    return complaint(400, `${name} refused the sign-in${code}. Try again, or ask those who run this gateway.`)
  }
  // A refusal with a cause says what went wrong between the servers, which is for the log.
  if (cause !== undefined)
    return complaint(400, `The answer of ${name} could not be verified, so you are not signed in. Try again.`)
  return complaint(403, message)
}

function tooMany(seconds: number): Complaint {
  const text = `Too many sign-ins from your network. Wait ${seconds} seconds, then try again.`
  return { ...complaint(429, text), retryAfterSeconds: seconds }
}

function complaint(status: number, text: string): Complaint {
  return { status, text, isAboutFields: false }
}

function addressOf({ request }: Exchange): URL {
  return new URL(request.url ?? '/', 'http://unused')
}
