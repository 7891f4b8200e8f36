import type { AdapterPayload } from 'oidc-provider'
import type { AuthorityRecord } from '../store/tables-authority.ts'
import type { Seal } from './sealed.ts'

/** Who knows such an id may use it, so the store has only its hash: a copy of the store gives nobody a token. */
export const bearerKinds: ReadonlySet<string> = new Set([
  'AuthorizationCode',
  'RefreshToken',
  'AccessToken',
  'ClientCredentials',
])

export interface RowOptions {
  readonly kind: string
  readonly seal: Seal
  /** In seconds. */
  readonly lifetime: number | undefined
  readonly time: number
}

type Row = Pick<AuthorityRecord, 'payload' | 'grant_id' | 'account_id' | 'uid' | 'expires_at'>

export function rowOf(payload: AdapterPayload, { kind, seal, lifetime, time }: RowOptions): Row {
  const seconds = kind === 'Client' ? unusedClientSeconds : lifetime
  return {
    payload: JSON.stringify(
      bearerKinds.has(kind) ? { ...payload, jti: undefined } : withSecret(payload, seal.close),
    ),
    grant_id: payload.grantId ?? null,
    account_id: accountOf(payload, kind) ?? null,
    uid: payload.uid ?? null,
    expires_at: seconds === undefined ? null : time + seconds * second,
  }
}

export function payloadOf(
  row: AuthorityRecord | undefined,
  { seal, id }: { readonly seal: Seal; readonly id?: string },
): AdapterPayload | undefined {
  if (row === undefined) return undefined
  const payload: AdapterPayload = JSON.parse(row.payload)
  return {
    ...withSecret(payload, seal.open),
    ...(id === undefined || row.kind === 'Client' ? {} : { jti: id }),
    // The end of a grant moves with its use, and only the column knows it.
    ...(row.kind === 'Grant' && row.expires_at !== null ? { exp: Math.floor(row.expires_at / second) } : {}),
    ...(row.consumed_at === null ? {} : { consumed: Math.floor(row.consumed_at / second) }),
  }
}

/** A client that registered itself and never got a token is forgotten after a day. */
export const unusedClientSeconds = 86_400
const second = 1_000_000

/** An interaction belongs to the person who has just signed in, even before there is a session. */
function accountOf(
  { accountId, clientId, result, session }: AdapterPayload,
  kind: string,
): string | undefined {
  if (kind === 'ClientCredentials') return clientId
  return accountId ?? result?.login?.accountId ?? session?.accountId
}

/** The secret of a client must be known in plain to be compared, and must not be readable in a copy of the store. */
function withSecret(payload: AdapterPayload, change: Seal['open']): AdapterPayload {
  const { client_id: id, client_secret: secret } = payload
  return secret === undefined ? payload : { ...payload, client_secret: change(secret, `client ${id}`) }
}
