import type { BearerChallenge } from '../oauth/challenge.ts'
import { isLoopback } from '../oauth/safe-url.ts'
import { printable } from '../oauth/server-words.ts'
import { addressComplaint } from './address.ts'
import { bad, good, left, type Outcome } from './check.ts'
import type { Examination } from './examination.ts'
import { type Answer, probe, shown, textsOf } from './probe.ts'

/** What a server says of itself (RFC 9728). */
export interface Resource {
  /** As the server writes it: this is what a token must be for. */
  readonly name: string
  readonly issuers: readonly string[]
  readonly scopes: readonly string[]
}

export interface ResourceQuestion {
  readonly url: URL
  readonly challenge: BearerChallenge | undefined
  /** A server that wants no token needs no document. */
  readonly isOpen: boolean
}

export async function checkResource(
  examination: Examination,
  question: ResourceQuestion,
): Promise<Resource | undefined> {
  const { url, challenge } = question
  const document = await examination.check(
    'resource metadata',
    (signal) => findDocument(examination, { ...question, signal }),
    shown(challenge?.resourceMetadata ?? url),
  )
  if (document === undefined) return undefined
  await examination.check('resource', () => checkName(document, url))
  const issuers = textsOf(document.body?.authorization_servers)
  if (issuers.length === 0)
    await examination.check('authorization servers', () =>
      bad({
        cause: 'no_authorization_server',
        detail: `${shown(document.url)} names no authorization server: clients do not know where to sign in`,
        cure: `Name one: "authorization_servers": ["https://login.example"] in ${shown(document.url)}.`,
      }),
    )
  const name = typeof document.body?.resource === 'string' ? document.body.resource : url.href
  return { name, issuers, scopes: textsOf(document.body?.scopes_supported) }
}

interface Search extends ResourceQuestion {
  readonly signal: AbortSignal
}

/** Where clients look, in their order: the place in the challenge alone, or the two well-known ones. */
async function findDocument(examination: Examination, search: Search): Promise<Outcome<Answer>> {
  const { url, challenge, signal } = search
  const announced = challenge?.resourceMetadata
  const wellKnown = wellKnownPlaces(url)
  const rule = { what: 'The place of the metadata in the 401,', mayBeLocal: isLoopback(url) }
  const complaint = announced === undefined ? undefined : addressComplaint(announced, rule)
  if (complaint !== undefined)
    return bad({
      cause: 'metadata_address',
      detail: complaint,
      cure: `Correct resource_metadata in the WWW-Authenticate of the 401: ${wellKnown[0]?.href ?? ''}`,
    })
  const places = announced === undefined ? wellKnown : [new URL(announced)]
  const answers = await Promise.all(places.map((place) => probe(examination, { url: place, signal })))
  const found = answers.find(({ status }) => status === 200)
  if (found === undefined) return notFound(search, answers)
  if (found.body === undefined)
    return bad({
      cause: 'metadata_unreadable',
      detail: `${shown(found.url)} is no JSON object`,
      cure: `Serve the metadata of the resource (RFC 9728) as JSON at ${shown(found.url)}.`,
    })
  const others = wellKnown.filter(({ href }) => !places.some((place) => place.href === href))
  return good(`At ${shown(found.url)}${await missing(examination, others, signal)}`, found)
}

function wellKnownPlaces(url: URL): readonly URL[] {
  const root = '/.well-known/oauth-protected-resource'
  const path = url.pathname.replace(/\/$/, '')
  return (path === '' ? [root] : [`${root}${path}`, root]).map((place) => new URL(place, url.origin))
}

function notFound({ url, challenge, isOpen }: Search, answers: readonly Answer[]): Outcome<Answer> {
  const [first] = answers
  const tried = answers.map((answer) => `${shown(answer.url)} answers ${answer.status}`).join(', ')
  if (isOpen) return left('None, and none is needed')
  const place = first === undefined ? shown(url) : shown(first.url)
  return challenge?.resourceMetadata === undefined
    ? bad({
        cause: 'no_metadata',
        detail: `The server does not say where to sign in: ${tried}`,
        cure: `Serve its metadata (RFC 9728) at ${place}.`,
      })
    : bad({
        cause: 'metadata_missing',
        detail: `The 401 says that the metadata is at ${place}, but ${tried}`,
        cure: `Serve the metadata there, or correct resource_metadata in the WWW-Authenticate of the 401.`,
      })
}

/** For clients that do not read the challenge; only worth a remark. */
async function missing(
  examination: Examination,
  places: readonly URL[],
  signal: AbortSignal,
): Promise<string> {
  const statuses = await Promise.all(
    places.map((place) =>
      probe(examination, { url: place, signal }).then(
        ({ status }) => status,
        () => undefined,
      ),
    ),
  )
  const absent = places.filter((_, index) => statuses[index] !== 200)
  if (absent.length === 0) return ''
  return ` (not at ${absent.map(shown).join(' or ')}, where some clients look)`
}

/** Identical, says RFC 9728 in section 3.3, and strict clients hold servers to it. */
function checkName({ url: place, body }: Answer, url: URL): Outcome {
  const told: unknown = body?.resource
  if (typeof told !== 'string')
    return bad({
      cause: 'other_resource',
      detail: `${shown(place)} does not say what it describes: "resource" is missing`,
      cure: `Write "resource": "${shown(url)}" into ${shown(place)}.`,
    })
  if (URL.parse(told)?.href === url.href) return good(printable(told))
  const isSlash = told.replace(/\/$/, '') === url.href.replace(/\/$/, '')
  const why = isSlash
    ? 'the slash at the end is a difference'
    : 'a token for the one is not good for the other'
  return bad({
    cause: 'other_resource',
    detail: `${shown(place)} describes ${printable(told)}, but ${shown(url)} was called: ${why}`,
    cure: `Set "resource" to ${shown(url)} in ${shown(place)} (in Postern it follows from server.publicUrl).`,
  })
}
