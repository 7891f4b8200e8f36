import type { CredentialsFile } from '../../src/store/service-account-file.ts'
import { cloudPlatform, signWith } from './caller-setting.ts'

/** What an attacker holds: files of other accounts, ended keys, public keys, and a key of his own. */
export interface Loot {
  /** The account that he would like to be. */
  readonly victim: CredentialsFile
  readonly other: CredentialsFile
  readonly disabled: CredentialsFile
  readonly deleted: CredentialsFile
  readonly revoked: CredentialsFile
  readonly expired: CredentialsFile
  /** Seconds since 1970. */
  readonly now: number
}

export type Members = Readonly<Record<string, unknown>>
export type Forgery = readonly [title: string, token: string, target?: { readonly query: string }]

/** What Google's clients send, in their scope form. */
export function usualClaims({ client_email }: CredentialsFile, now: number): Members {
  return { iss: client_email, sub: client_email, scope: cloudPlatform, exp: now + 3600, iat: now }
}

export function usualHeader({ private_key_id }: CredentialsFile): Members {
  return { alg: 'RS256', typ: 'JWT', kid: private_key_id }
}

/** Signed by the account itself, and good but for what is given. */
export function ofVictim({ victim, now }: Loot, claims: Members = {}, header: Members = {}): string {
  return signWith(victim, { ...usualHeader(victim), ...header }, { ...usualClaims(victim, now), ...claims })
}
