import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { postForm } from '../authority/machine-requests.ts'
import { openBrowser } from '../authority/people-browser.ts'

export const desktop = {
  id: 'desktop',
  secret: 'the secret of the desktop app, long enough',
  redirectUri: 'http://127.0.0.1/callback',
} as const

export interface Person {
  readonly login: string
  readonly password: string
}

/** What a program gets when a person signs in at the authority and allows it to use the models. */
export async function logIn(
  authorityUrl: string,
  person: Person,
  scope: string,
): Promise<{ readonly accessToken: string; readonly refreshToken: string }> {
  const verifier = randomBytes(32).toString('base64url')
  const redirectUri = desktop.redirectUri.replace('127.0.0.1', '127.0.0.1:5555')
  const ask = new URLSearchParams({
    response_type: 'code',
    client_id: desktop.id,
    redirect_uri: redirectUri,
    scope,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const browser = openBrowser(authorityUrl)
  const signIn = await browser.open(`${authorityUrl}/authorize?${ask.toString()}`)
  const consent = await browser.submit(signIn, '/enter', { ...person })
  const back = await browser.submit(consent, '/allow')
  const fields = {
    grant_type: 'authorization_code',
    code: back.url.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
  const basic = Buffer.from(`${desktop.id}:${desktop.secret}`).toString('base64')
  const { status, body } = await postForm(`${authorityUrl}/token`, fields, {
    authorization: `Basic ${basic}`,
  })
  assert.equal(status, 200, JSON.stringify(body))
  return { accessToken: String(body.access_token), refreshToken: String(body.refresh_token) }
}
