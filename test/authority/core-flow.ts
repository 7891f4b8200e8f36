import { createHash, randomBytes } from 'node:crypto'
import { noteSecret, noteSecretsIn } from '../records/secret-search-notes.ts'
import { notes, redirectUri } from './core-authority.ts'

/** Where the authority can be reached; the instances of one authority are several of these. */
export interface Place {
  readonly url: string
}

export interface Authorization {
  readonly verifier: string
  /** Where the browser was sent in the end. */
  readonly back: URL
  /** Empty when there was none. */
  readonly code: string
}

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Goes to /authorize and follows every redirect to the client; `changes` with the value '' leave a parameter out. */
export async function authorize(
  place: Place | readonly Place[],
  changes: Readonly<Record<string, string>> = {},
): Promise<Authorization> {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, ...(await authorizeWith(place, authorizationQuery(verifier, changes))) }
}

export function authorizationQuery(
  verifier: string,
  changes: Readonly<Record<string, string>> = {},
): URLSearchParams {
  const asked = {
    response_type: 'code',
    client_id: 'desk',
    redirect_uri: redirectUri,
    scope: 'notes:read',
    resource: notes,
    state: 'as it was',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  }
  return new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''))
}

/** The same with just these parameters. */
export async function authorizeWith(
  place: Place | readonly Place[],
  query: URLSearchParams,
): Promise<Omit<Authorization, 'verifier'>> {
  const back = await browse(`/authorize?${query.toString()}`, [place].flat())
  const code = back.searchParams.get('code') ?? ''
  noteSecret('an authorization code', code)
  return { back, code }
}

/** Each step at the next instance. Ends at the first address that is not ours, or at `/shown/<status>` for a page. */
async function browse(start: string, places: readonly Place[]): Promise<URL> {
  const cookies = new Map<string, string>()
  const origins = places.map(({ url }) => url)
  let path = start
  for (let step = 0; step < 12; step += 1) {
    const here = new URL(path, origins[step % origins.length])
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(here, { redirect: 'manual', headers: { cookie, accept: 'text/html' } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const next = response.headers.get('location')
    await response.body?.cancel()
    if (next === null) return new URL(`/shown/${response.status}`, here)
    const there = new URL(next, here)
    if (!origins.includes(there.origin)) return there
    path = there.pathname + there.search
  }
  throw new Error('the browser goes in circles')
}

export function redeem(
  place: Place,
  { code, verifier }: Pick<Authorization, 'code' | 'verifier'>,
  changes: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const asked = {
    grant_type: 'authorization_code',
    client_id: 'desk',
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
    ...changes,
  }
  return post(place, '/token', asked)
}

export function refresh(place: Place, token: unknown, clientId = 'desk'): Promise<Answer> {
  return post(place, '/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: String(token),
  })
}

/** A form, with Basic credentials when there is an `as`, which is `id:secret`. */
export async function post(
  { url }: Place,
  path: string,
  { as, ...fields }: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: as === undefined ? {} : { authorization: `Basic ${btoa(encodeURI(as))}` },
    body: new URLSearchParams(fields),
  })
  const text = await response.text()
  const body = text === '' ? {} : JSON.parse(text)
  noteSecretsIn(body)
  return { status: response.status, body }
}

export async function register(place: Place, metadata: unknown): Promise<Answer> {
  const response = await fetch(new URL('/register', place.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  })
  const body = JSON.parse(await response.text())
  noteSecretsIn(body)
  return { status: response.status, body }
}
