import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto'
import { Failure } from '../failure/failure.ts'
import type { ServiceAccount, ServiceAccountKey } from './tables-service-accounts.ts'

/** Where the file sends its reader. */
export interface CredentialsPlace {
  /** Any host but `googleapis.com`: then the official clients sign their own tokens and call no token endpoint. */
  readonly universeDomain: string
  readonly tokenUri: string
}

/** What `GOOGLE_APPLICATION_CREDENTIALS` points at. */
export interface CredentialsFile {
  readonly type: 'service_account'
  readonly project_id: string
  readonly private_key_id: string
  readonly private_key: string
  readonly client_email: string
  readonly client_id: string
  readonly token_uri: string
  readonly universe_domain: string
}

export type KeyOwner = Pick<ServiceAccount, 'id' | 'email' | 'project'>

/** A new key of an account: the row to store, and the file that alone holds its private half. */
export async function makeKey(
  owner: KeyOwner,
  place: CredentialsPlace,
  now: number,
): Promise<{ readonly row: ServiceAccountKey; readonly file: CredentialsFile }> {
  const { publicKey, privateKey } = await generatePair()
  const kid = randomBytes(20).toString('hex')
  return {
    row: {
      kid,
      service_account_id: owner.id,
      public_jwk: JSON.stringify(publicKey.export({ format: 'jwk' })),
      created_at: now,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
    },
    file: {
      type: 'service_account',
      project_id: owner.project,
      private_key_id: kid,
      private_key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
      client_email: owner.email,
      client_id: numberOf(owner.id),
      token_uri: place.tokenUri,
      universe_domain: place.universeDomain,
    },
  }
}

/** The host of a universe, without its port. */
export function universeHost(universeDomain: string): string {
  const url = URL.parse(`https://${universeDomain}`)
  if (url === null || url.host !== universeDomain.toLowerCase().replace(/:443$/, '')) {
    throw new Failure('invalid-request', 'the universe domain must be a host, such as postern.example', {
      field: 'universeDomain',
    })
  }
  if (url.hostname === 'googleapis.com') {
    throw new Failure('invalid-request', 'the universe domain must be a host of yours, not googleapis.com', {
      field: 'universeDomain',
    })
  }
  return url.hostname
}

function generatePair(): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    publicKey: KeyObject
    privateKey: KeyObject
  }>()
  generateKeyPair('rsa', { modulusLength: 2048 }, (error, publicKey, privateKey) => {
    if (error === null) resolve({ publicKey, privateKey })
    else reject(error)
  })
  return promise
}

/** Google's clients know accounts by a number as well; the random half of the id serves. */
function numberOf(id: string): string {
  return BigInt(`0x${id.replaceAll('-', '').slice(16)}`).toString()
}
