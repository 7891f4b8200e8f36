import { createPrivateKey, sign } from 'node:crypto'
import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { base64url } from '../auth/local-key.ts'
import { noteSecret, noteSecretsIn } from '../records/secret-search-notes.ts'

export type Json = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export type FormFields = Readonly<Record<string, string>> | readonly (readonly [string, string])[]

export async function postForm(
  url: string,
  fields: FormFields,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const pairs: [string, string][] = Array.isArray(fields)
    ? fields.map(([name, value]) => [name, value])
    : Object.entries(fields)
  return readAnswer(await fetch(url, { method: 'POST', body: new URLSearchParams(pairs), headers }))
}

export async function postJson(url: string, body: string): Promise<Answer> {
  return readAnswer(
    await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
  )
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const body: Json = text.startsWith('{') ? JSON.parse(text) : { text }
  noteSecretsIn(body)
  return { status: response.status, headers: response.headers, body }
}

export function assertionFields(assertion: string): Readonly<Record<string, string>> {
  return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
}

export function exchangeFields(audience: string, token: string): Readonly<Record<string, string>> {
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience,
    scope: 'notes:read',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  }
}

export function seconds(offset = 0): number {
  return Math.floor(Date.now() / 1000) + offset
}

/** The claims of an assertion as Google's library for Node makes them, but for what is given. */
export function assertionClaims(file: CredentialsFile, change: Json = {}): Json {
  const now = seconds()
  return {
    iss: file.client_email,
    scope: 'notes:read',
    aud: 'https://oauth2.googleapis.com/token',
    iat: now,
    exp: now + 3600,
    ...change,
  }
}

/** A JWT signed with the key of a credentials file. */
export function signWith(
  file: CredentialsFile,
  claims: object | string,
  header: object | string = { alg: 'RS256' },
): string {
  const input = `${base64url(header)}.${base64url(claims)}`
  const signature = sign('sha256', Buffer.from(input), createPrivateKey(file.private_key))
  const assertion = `${input}.${signature.toString('base64url')}`
  noteSecret('a private key', file.private_key)
  noteSecret('an assertion', assertion)
  return assertion
}

export function assertionOf(file: CredentialsFile, change: Json = {}, header: Json = {}): string {
  return signWith(file, assertionClaims(file, change), { alg: 'RS256', ...header })
}

export function payloadOf(token: unknown): Json {
  return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString())
}

export function headerOf(token: unknown): Json {
  return JSON.parse(Buffer.from(String(token).split('.')[0] ?? '', 'base64url').toString())
}
