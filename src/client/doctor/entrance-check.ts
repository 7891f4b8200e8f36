import { type BearerChallenge, bearerChallenge } from '../oauth/challenge.ts'
import { isLoopback } from '../oauth/safe-url.ts'
import { bad, good, left, type Outcome } from './check.ts'
import type { Examination } from './examination.ts'
import { knock } from './knock.ts'
import { type Answer, probe, shown } from './probe.ts'

/** How a server meets a caller without a token. */
export interface Entrance {
  readonly isOpen: boolean
  readonly challenge: BearerChallenge | undefined
  readonly aheadMs: number | undefined
}

/** Calls without a token: whether somebody is there, and whether the answer says where to get one. */
export async function checkEntrance(examination: Examination, url: URL): Promise<Entrance | undefined> {
  const answer = await examination.check(
    'reach',
    async (signal) =>
      reached(
        await knock('postern-doctor', (init) =>
          probe(examination, { url, signal: init.signal ?? signal, init }),
        ),
      ),
    shown(url),
  )
  if (answer === undefined) return undefined
  const { aheadMs } = answer
  const challenge = await examination.check('challenge', () => challenged(answer))
  return { isOpen: answer.response.ok, challenge, aheadMs }
}

function reached(answer: Answer): Outcome<Answer> {
  const { url, status, response } = answer
  if (status >= 300 && status < 400) return redirected(url, response)
  if (url.protocol === 'http:' && !isLoopback(url))
    return bad({
      cause: 'plain_http',
      detail: `${shown(url)} is called over plain http: everybody on the way can read a token`,
      cure: `Serve it over https, and call ${shown(url).replace(/^http:/, 'https:')}.`,
    })
  if (status === 404 || status === 405)
    return bad({
      cause: 'no_tool_server',
      detail: `There is no tool server at ${shown(url)}: POST is answered ${status}`,
      cure: 'Give the whole address of the tool server; its path is often /mcp.',
    })
  if (status === 429)
    return bad({
      cause: 'rate_limited',
      detail: `${shown(url)} has been called too often from here (429)`,
      cure: 'Wait a minute, and look again.',
    })
  if (status >= 500)
    return bad({
      cause: 'server_error',
      detail: `${shown(url)} answers ${status} to everybody`,
      cure: 'Look into the log of the server (or of the proxy before it): the failure is inside.',
    })
  return good(`${shown(url)} answers, with ${status}`, answer)
}

function redirected(url: URL, { status, headers }: Response): Outcome<Answer> {
  const target = URL.parse(headers.get('location') ?? '', url.href)
  const place = target === null ? 'elsewhere' : shown(target)
  return bad({
    cause: 'redirect',
    detail: `${shown(url)} answers ${status}, a redirect to ${place}: on the way clients drop the token, or the body of the call`,
    cure:
      target === null
        ? 'Make the server answer at this address itself.'
        : `Call ${place} in place of ${shown(url)}: change the address in the client.`,
  })
}

async function challenged(answer: Answer): Promise<Outcome<BearerChallenge>> {
  const { url, status, response } = answer
  if (response.ok) return left('None: the server lets in who has no token')
  const header = response.headers.get('www-authenticate')
  if (status !== 401)
    return bad({
      cause: 'no_401',
      detail: `A call without a token is answered ${status}, not 401: clients do not learn that they should sign in`,
      cure: 'Make the server check the token before all else, and answer 401 with WWW-Authenticate where there is none.',
    })
  const challenge = await bearerChallenge(response)
  if (challenge === undefined)
    return bad({
      cause: 'no_challenge',
      detail:
        header === null
          ? 'The 401 has no WWW-Authenticate: clients do not learn where to sign in'
          : 'The WWW-Authenticate of the 401 asks for no Bearer token: clients do not learn where to sign in',
      cure: `Add to the 401: WWW-Authenticate: Bearer resource_metadata="${url.origin}/.well-known/oauth-protected-resource${url.pathname.replace(/\/$/, '')}"`,
    })
  return good(challengeWords(challenge, header ?? ''), challenge)
}

function challengeWords({ resourceMetadata, scopes }: BearerChallenge, header: string): string {
  const isFirst = /^\s*bearer\s+resource_metadata=/i.test(header)
  const place =
    resourceMetadata === undefined
      ? '401 without resource_metadata (the well-known places are left)'
      : `401, metadata at ${shown(resourceMetadata)}${isFirst ? '' : ' (not its first parameter, which some clients need)'}`
  return scopes.length === 0 ? place : `${place}, scope ${scopes.join(' ')}`
}
