import { isLoopback } from '../oauth/safe-url.ts'
import { printable } from '../oauth/server-words.ts'
import type { JsonObject } from '../wire-reader.ts'
import { addressComplaint } from './address.ts'
import { bad, good, type Outcome } from './check.ts'
import type { Examination } from './examination.ts'
import { checkKeys, type VerificationKey } from './key-check.ts'
import { type Answer, probe, shown } from './probe.ts'

/** An authorization server, as far as it could be examined. */
export interface Issuer {
  /** As its own metadata writes it: tokens must say the same. */
  readonly name: string
  readonly keys: readonly VerificationKey[]
  readonly aheadMs: number | undefined
  /** Its metadata. */
  readonly document: JsonObject
}

export interface IssuerQuestion {
  readonly issuer: string
  /** Whether it may be on this machine. */
  readonly mayBeLocal: boolean
  /** Where its keys are, if not where its metadata says. */
  readonly jwksUri?: string | undefined
  /** What is accepted of its keys; any unless given. */
  readonly algorithms?: readonly string[] | undefined
}

/** What whoever checks its tokens needs of an authorization server. */

export async function checkIssuer(
  examination: Examination,
  question: IssuerQuestion,
): Promise<Issuer | undefined> {
  const { issuer } = question
  const answer = await examination.check(
    'authorization server',
    (signal) => findDocument(examination, question, signal),
    shown(issuer),
  )
  if (answer === undefined) return undefined
  const document = answer.body ?? {}
  await examination.check('issuer', () => checkName(issuer, answer))
  const jwksUri = question.jwksUri ?? textOf(document.jwks_uri)
  const keys = (await checkKeys(examination, { ...question, jwksUri })) ?? []
  return { name: textOf(document.issuer) ?? issuer, keys, aheadMs: answer.aheadMs, document }
}

async function findDocument(
  examination: Examination,
  { issuer, mayBeLocal }: IssuerQuestion,
  signal: AbortSignal,
): Promise<Outcome<Answer>> {
  const complaint = addressComplaint(issuer, { what: 'The authorization server', mayBeLocal })
  if (complaint !== undefined) return unsafe(issuer, complaint)
  const tried: string[] = []
  for (const url of placesOf(new URL(issuer))) {
    const answer = await probe(examination, { url, signal })
    if (answer.status === 200 && answer.body !== undefined)
      return good(`Its metadata is at ${shown(url)}`, answer)
    tried.push(`${shown(url)} answers ${answer.status}${answer.status === 200 ? ', but no JSON object' : ''}`)
  }
  return bad({
    cause: 'no_server_metadata',
    detail: `The authorization server ${shown(issuer)} publishes no metadata: ${tried.join(', ')}`,
    cure: `Name the issuer exactly as the authorization server does (its "iss"), in place of ${shown(issuer)}.`,
  })
}

function unsafe(issuer: string, complaint: string): Outcome<Answer> {
  const url = URL.parse(issuer)
  const isLocal = url !== null && isLoopback(url)
  return bad({
    cause: isLocal ? 'local_issuer' : 'insecure_issuer',
    detail: isLocal
      ? `The authorization server ${shown(issuer)} is a name for the machine of whoever reads it: clients elsewhere would look on their own`
      : complaint,
    cure: isLocal
      ? `Name the authorization server by its public https address, in place of ${shown(issuer)}.`
      : `Serve the authorization server over https, and name it so: ${shown(issuer).replace(/^http:/, 'https:')}.`,
  })
}

/** RFC 8414, then OpenID's two places for it. */
function placesOf(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const places = [
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
    `${path}/.well-known/openid-configuration`,
  ]
  return [...new Set(places)].map((place) => new URL(place, issuer.origin))
}

/** Identical, character by character (RFC 8414, section 3.3). */
function checkName(issuer: string, { body, url }: Answer): Outcome {
  const told = textOf(body?.issuer)
  if (told === issuer) return good(printable(told))
  const isSlash = told?.replace(/\/$/, '') === issuer.replace(/\/$/, '')
  const remark = isSlash ? '. They differ by the slash at the end, and that is enough' : ''
  return bad({
    cause: 'issuer_mismatch',
    detail: `The authorization server is named as ${printable(issuer)}, but its metadata says ${told === undefined ? 'no issuer' : printable(told)}${remark}: clients stop here, and tokens do not match`,
    cure:
      told === undefined
        ? `Write "issuer": "${printable(issuer)}" into ${shown(url)}.`
        : `Name it ${printable(told)} in the settings of the server, in place of ${printable(issuer)}.`,
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
