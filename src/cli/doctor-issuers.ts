import { bad, good, left, type Outcome } from '../client/doctor/check.ts'
import type { Examination } from '../client/doctor/examination.ts'
import { checkIssuer, type Issuer } from '../client/doctor/issuer-check.ts'
import { probe, shown } from '../client/doctor/probe.ts'
import { isLoopback } from '../client/oauth/safe-url.ts'
import type { Config } from '../config/config-schema.ts'

type Introspection = NonNullable<Config['issuers'][number]['introspection']>

/** Those whose tokens the configuration accepts. */
export async function examineIssuers(
  examination: Examination,
  { issuers, server }: Config,
): Promise<ReadonlyMap<string, Issuer>> {
  const found = new Map<string, Issuer>()
  const mayBeLocal = isLoopback(new URL(server.publicUrl))
  if (issuers.length === 0)
    await examination.check('issuers', () => left('None is configured: no access token is accepted'))
  for (const { issuer, jwksUri, algorithms, validate, introspection } of issuers) {
    const isAsked = validate === 'introspection'
    const keys = isAsked ? {} : { jwksUri, algorithms }
    const examined = await checkIssuer(examination, { issuer, mayBeLocal, ...keys })
    if (examined !== undefined) found.set(issuer, examined)
    if (isAsked && introspection !== undefined)
      await examination.check(
        'introspection',
        (signal) => askAbout(examination, introspection, signal),
        shown(introspection.url),
      )
  }
  return found
}

/** Asks about a token that cannot exist: what counts is whether the credentials of the gateway are taken. */
async function askAbout(
  examination: Examination,
  { url, clientId, clientSecret }: Introspection,
  signal: AbortSignal,
): Promise<Outcome> {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':')
  const init = {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({ token: 'a token that nobody has issued' }),
  }
  const { status, body } = await probe(examination, { url: new URL(url), signal, init })
  if (status === 200 && body?.active === false)
    return good(`${shown(url)} takes the credentials of the gateway`)
  if (status === 401 || status === 403 || body?.error === 'invalid_client')
    return bad({
      cause: 'introspection_credentials',
      detail: `${shown(url)} answers ${status}: it does not take clientId and clientSecret of the configuration`,
      cure: 'Correct introspection.clientId and introspection.clientSecret of this issuer in the configuration.',
    })
  return bad({
    cause: 'introspection',
    detail: `${shown(url)} answers ${status}, and does not say whether a token is active`,
    cure: 'Correct introspection.url of this issuer in the configuration (RFC 7662).',
  })
}
