import { secureUrlComplaint } from '../config/url-rules.ts'
import type { JsonClient } from './json-client.ts'
import { member } from './strict-json.ts'

/** Finds where an issuer keeps its keys: RFC 8414 first, then OpenID Connect Discovery. */
export async function discoverKeySetUrl(issuer: string, web: JsonClient): Promise<string> {
  const problems: unknown[] = []
  for (const url of metadataUrls(issuer)) {
    try {
      return await readMetadata(issuer, url, web)
    } catch (problem) {
      problems.push(problem)
    }
  }
  throw new AggregateError(problems, `no usable metadata of issuer ${issuer} was found`)
}

/** RFC 8414 puts the well-known part before the path of the issuer, OpenID behind it. */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

/** RFC 8414, section 3.3: a document of another issuer must not be used. */
async function readMetadata(issuer: string, url: string, web: JsonClient): Promise<string> {
  const { status, body } = await web.send({ url })
  if (status !== 200 || body === undefined) throw new Error(`${url} answered ${status} without a JSON object`)
  if (member(body, 'issuer') !== issuer) throw new Error(`${url} describes another issuer`)
  const keys = member(body, 'jwks_uri')
  if (typeof keys !== 'string' || secureUrlComplaint(keys) !== undefined) {
    throw new Error(`${url} has no jwks_uri with https`)
  }
  return keys
}
