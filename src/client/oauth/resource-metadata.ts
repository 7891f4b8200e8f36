import * as oauth from 'oauth4webapi'
import { ClientError } from '../client-error.ts'
import { step } from './oauth-failure.ts'
import { isLoopback, safeUrl } from './safe-url.ts'
import { printable } from './server-words.ts'

/** What a resource says of itself (RFC 9728). */
export interface ResourceMetadata {
  /** As the resource writes it: this is what issuers know. */
  readonly resource: string
  readonly issuers: readonly string[]
  readonly scopes: readonly string[]
}

export interface ResourceQuestion {
  readonly resource: URL
  /** From the challenge; without one the two well-known places are looked at. */
  readonly announced?: string | undefined
  readonly fetch: typeof globalThis.fetch
}

/** Nothing where there is no document; a document about something else is refused. */
export async function readResourceMetadata(
  question: ResourceQuestion,
): Promise<ResourceMetadata | undefined> {
  for (const place of placesOf(question)) {
    const response = await question.fetch(place, { headers: { accept: 'application/json' } })
    if (response.status === 200) return parse(question.resource, response, place)
  }
  return undefined
}

function placesOf({ resource, announced }: ResourceQuestion): readonly URL[] {
  if (announced !== undefined) {
    const rule = { what: 'the resource metadata', mayBeLocal: isLoopback(resource) }
    return [safeUrl(announced, rule)]
  }
  const path = resource.pathname.replace(/\/$/, '')
  const places = path === '' ? [wellKnown] : [`${wellKnown}${path}`, wellKnown]
  return places.map((place, index) => new URL(index === 0 ? place + resource.search : place, resource))
}

const wellKnown = '/.well-known/oauth-protected-resource'

async function parse(resource: URL, response: Response, place: URL): Promise<ResourceMetadata> {
  const where = place.origin + place.pathname
  const invalid = { code: 'invalid_metadata', message: `${where} is no metadata of a protected resource` }
  const document = await step(invalid, async () => {
    const text = await response.text()
    // Read once without the comparison, so that the error can name both.
    const told: unknown = Object(JSON.parse(text)).resource
    if (typeof told === 'string' && !isSame(told, resource)) throw mismatch(told, resource, where)
    const expected = typeof told === 'string' ? new URL(told) : resource
    return oauth.processResourceDiscoveryResponse(expected, new Response(text, response))
  })
  return {
    resource: document.resource,
    issuers: texts(document.authorization_servers),
    scopes: texts(document.scopes_supported),
  }
}

/** Identical (RFC 9728, section 3.3), but for a slash at the end, which servers and people are careless about. */
function isSame(told: string, resource: URL): boolean {
  const withoutSlash = (url: URL | null): string | undefined => url?.href.replace(/\/$/, '')
  return withoutSlash(URL.parse(told)) === withoutSlash(resource)
}

function mismatch(told: string, resource: URL, where: string): ClientError {
  const other = printable(told)
  return new ClientError(
    'resource_mismatch',
    `${where} describes ${other}, not ${resource.href}: a token for it would be good elsewhere. If that is what you want to call, use ${other} as the resource`,
  )
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
