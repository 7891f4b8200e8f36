import assert from 'node:assert/strict'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { createLocalKey } from '../auth/local-key.ts'
import {
  assertionFields,
  assertionOf,
  exchangeFields,
  payloadOf,
  postForm,
  postJson,
} from '../authority/machine-requests.ts'
import { request } from '../authority/people-authority.ts'
import { type Browser, openBrowser } from '../authority/people-browser.ts'
import type { SecretHouse } from './secret-search-house.ts'
import { noteSecret } from './secret-search-notes.ts'
import { audience, made, site } from './secret-search-settings.ts'
import { type Fields, proof } from './secret-search-uses.ts'

export interface Tokens {
  readonly access: string
  readonly refresh: string
  readonly id: string
}

/** The way of a person in a browser, with a wrong password first, until the site has its tokens. */
export async function signIn(house: SecretHouse, surface: string, scope: string): Promise<Tokens> {
  const browser = openBrowser(house.authorityUrl)
  const asked = ask(house, { scope: `openid ${scope}`, resource: `${house.url}/${surface}` })
  const page = await browser.open(asked.url)
  await browser.submit(page, '/enter', {
    login: made('a password in the wrong field'),
    password: made('a wrong password'),
  })
  const consent = await browser.submit(page, '/enter', { login: 'ada', password: house.secrets.password })
  const back = await browser.submit(consent, '/allow')
  const fields = {
    grant_type: 'authorization_code',
    code: back.url.searchParams.get('code') ?? '',
    redirect_uri: site.redirectUri,
    code_verifier: asked.verifier,
  }
  await token(house, { ...fields, code: made('a code that nobody gave') })
  const { status, body } = await token(house, fields)
  assert.equal(status, 200, JSON.stringify(body))
  await signInAgain(house, browser, String(body.id_token))
  return { access: String(body.access_token), refresh: String(body.refresh_token), id: String(body.id_token) }
}

function ask(house: SecretHouse, changes: Fields): ReturnType<typeof request> {
  const { id: client_id, redirectUri: redirect_uri } = site
  const state = made('the state of a sign-in')
  const asked = request({ url: house.authorityUrl }, '', { client_id, redirect_uri, state, ...changes })
  noteSecret('a code verifier', asked.verifier)
  return asked
}

/** With a session that the browser has, a hint who it is, and a way out. */
async function signInAgain(house: SecretHouse, browser: Browser, hint: string): Promise<void> {
  await browser.open(ask(house, { scope: 'openid', id_token_hint: hint, prompt: 'login' }).url)
  await browser.open(ask(house, { scope: 'openid', id_token_hint: hint, prompt: 'none' }).url)
  const out = new URLSearchParams({ id_token_hint: hint, client_id: site.id })
  await browser.open(`${house.authorityUrl}/end-session?${out.toString()}`)
}

/** At the token endpoint, as the site. */
function token(
  house: SecretHouse,
  fields: Fields,
  secret: string = house.secrets.site,
): ReturnType<typeof postForm> {
  const authorization = `Basic ${btoa(`${site.id}:${secret}`)}`
  return postForm(`${house.authorityUrl}/token`, fields, { authorization })
}

/** Refreshes, tries what was used before, asks about the tokens and gives them back. */
export async function useUp(house: SecretHouse, { access, refresh }: Tokens): Promise<void> {
  const again = (text: string): Fields => ({ grant_type: 'refresh_token', refresh_token: text })
  await token(house, again(refresh), made('a wrong client secret'))
  const { body } = await token(house, again(refresh))
  assert.ok(typeof body.refresh_token === 'string')
  const { authorityUrl, secrets } = house
  const gate = { client_id: 'gate', client_secret: secrets.gate }
  for (const text of [access, body.refresh_token, made('a token that nobody gave')]) {
    await postForm(`${authorityUrl}/introspect`, { token: text, ...gate })
    await postForm(`${authorityUrl}/introspect`, { token: text }, { authorization: `Bearer ${text}` })
    await fetch(`${authorityUrl}/userinfo`, { headers: { authorization: `Bearer ${text}` } })
  }
  await token(house, again(refresh))
  const site = { client_id: 'site', client_secret: secrets.site }
  await postForm(`${authorityUrl}/revoke`, { token: access, ...site })
  await postForm(`${authorityUrl}/revoke`, { token: body.refresh_token, ...site })
}

/** By way of the provider of people. */
export async function signInUpstream(house: SecretHouse): Promise<void> {
  const browser = openBrowser(house.authorityUrl, house.provider)
  const page = await browser.open(ask(house, { scope: 'notes:read', resource: `${house.url}/mcp` }).url)
  const consent = await browser.submit(page, '/upstream')
  assert.match(consent.text, /Allow/)
}

/** Every grant of programs, and a registration. Gives a token for the tool server. */
export async function useMachines(house: SecretHouse, robot: CredentialsFile): Promise<string> {
  const { authorityUrl, secrets, forge } = house
  const tokenUrl = `${authorityUrl}/token`
  const assertion = assertionOf(robot)
  const { status, body } = await postForm(tokenUrl, assertionFields(assertion))
  assert.equal(status, 200, JSON.stringify(body))
  for (const bad of [
    assertion,
    assertionOf(robot, { exp: 1 }),
    `${assertion.slice(0, -30)}${'A'.repeat(30)}`,
  ])
    await postForm(tokenUrl, assertionFields(bad))
  const workload = forge.token({ sub: 'repo:team/app:main' })
  assert.equal((await postForm(`${authorityUrl}/v1/token`, exchangeFields(audience, workload))).status, 200)
  await postForm(`${authorityUrl}/v1/token`, exchangeFields(audience, forge.token({ sub: 'nobody' })))
  const own = {
    grant_type: 'client_credentials',
    client_id: 'robot',
    scope: 'notes:read',
    resource: `${house.url}/mcp`,
  }
  const dpop = proof(createLocalKey(), { url: tokenUrl, method: 'POST' })
  const bound = await postForm(tokenUrl, { ...own, client_secret: secrets.robot }, { dpop })
  assert.equal(bound.body.token_type, 'DPoP', JSON.stringify(bound.body))
  await postForm(tokenUrl, { ...own, client_secret: secrets.robot }, { dpop })
  const registered = await postJson(`${authorityUrl}/register`, JSON.stringify(application))
  assert.equal(registered.status, 201, JSON.stringify(registered.body))
  await postForm(tokenUrl, {
    ...own,
    client_id: String(registered.body.client_id),
    client_secret: made('a guess'),
  })
  assert.equal(payloadOf(body.access_token).sub, robot.client_email)
  return String(body.access_token)
}

const application = {
  client_name: 'An application',
  redirect_uris: ['https://app.example/back'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'client_secret_basic',
} as const
