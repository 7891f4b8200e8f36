import type { JsonObject } from '../wire-reader.ts'
import { addressComplaint } from './address.ts'
import { bad, good, left, type Outcome } from './check.ts'
import type { Examination } from './examination.ts'
import type { Issuer } from './issuer-check.ts'
import { shown, textsOf } from './probe.ts'

/** What clients need of an authorization server to sign in there. */
export async function checkSignIn(
  examination: Examination,
  { name, document }: Issuer,
  mayBeLocal: boolean,
): Promise<void> {
  await examination.check('PKCE', () => checkPkce(document, name))
  await examination.check('endpoints', () => checkEndpoints(document, mayBeLocal))
  await examination.check('client registration', () => registrationWays(document))
}

function checkPkce(body: JsonObject, issuer: string): Outcome {
  const grants = textsOf(body.grant_types_supported)
  if (grants.length > 0 && !grants.includes('authorization_code'))
    return left('Nobody signs in here with a browser')
  const methods = textsOf(body.code_challenge_methods_supported)
  if (methods.includes('S256')) return good('S256')
  const told = methods.length === 0 ? 'does not say that it does' : `names only ${methods.join(', ')}`
  return bad({
    cause: 'no_s256',
    detail: `Clients sign in only where PKCE with S256 is done, and the authorization server ${told}`,
    cure: `Turn on PKCE with S256 there, so that the metadata of ${shown(issuer)} has "code_challenge_methods_supported": ["S256"].`,
  })
}

const neededEndpoints = ['authorization_endpoint', 'token_endpoint'] as const
const otherEndpoints = ['registration_endpoint', 'revocation_endpoint', 'jwks_uri'] as const

function checkEndpoints(body: JsonObject, mayBeLocal: boolean): Outcome {
  const grants = textsOf(body.grant_types_supported)
  const isInteractive = grants.length === 0 || grants.includes('authorization_code')
  const missing = neededEndpoints.find(
    (name) => textOf(body[name]) === undefined && (isInteractive || name === 'token_endpoint'),
  )
  if (missing !== undefined)
    return bad({
      cause: 'no_endpoint',
      detail: `The metadata of the authorization server has no ${missing}`,
      cure: `Add ${missing} to the metadata of the authorization server.`,
    })
  for (const name of [...neededEndpoints, ...otherEndpoints]) {
    const address = textOf(body[name])
    const rule = { what: `The ${name}`, mayBeLocal }
    const complaint = address === undefined ? undefined : addressComplaint(address, rule)
    if (complaint !== undefined)
      return bad({
        cause: 'insecure_endpoint',
        detail: complaint,
        cure: `Give the authorization server its public https address, so that its ${name} begins with it.`,
      })
  }
  return good('https, or on this machine')
}

function registrationWays(body: JsonObject): Outcome {
  const ways = [
    ...(body.client_id_metadata_document_supported === true ? ['client ID metadata document'] : []),
    ...(textOf(body.registration_endpoint) === undefined ? [] : ['dynamic registration']),
  ]
  if (ways.length > 0) return good(ways.join(', '))
  return left('Clients cannot introduce themselves: each needs a client ID that was registered by hand')
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
