import { hash } from 'node:crypto'
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

/** The id of a session is half of a cookie; that its other half is a signature is no reason to show it. */
const hashedKinds: ReadonlySet<string> = new Set([...bearerKinds, 'Session'])

/** What the store calls a record by. */
export function recordKey(kind: string, id: string): string {
  return hashedKinds.has(kind) ? hash('sha256', id, 'base64url') : id
}

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
    payload: JSON.stringify(storedPayload(payload, kind, seal)),
    grant_id: payload.grantId ?? null,
    account_id: accountOf(payload, kind) ?? null,
    uid: kind === 'Client' ? unusedClient : (payload.uid ?? null),
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
    ...unsealed(payload, row.kind, { seal, id }),
    ...(movingKinds.has(row.kind) && row.expires_at !== null
      ? { exp: Math.floor(row.expires_at / second) }
      : {}),
    ...(row.consumed_at === null ? {} : { consumed: Math.floor(row.consumed_at / second) }),
  }
}

/** Their end moves with their use, and only the column knows it. */
const movingKinds: ReadonlySet<string> = new Set(['Grant', 'RefreshToken'])

/** A client that registered itself and never got a token is forgotten after 30 days. */
export const unusedClientSeconds: number = 30 * 86_400
/** What such a client has for a second name until then. */
export const unusedClient = 'unused'
const second = 1_000_000

/** An interaction belongs to the person who has just signed in, even before there is a session. */
function accountOf(
  { accountId, clientId, result, session }: AdapterPayload,
  kind: string,
): string | undefined {
  if (kind === 'ClientCredentials') return clientId
  return accountId ?? result?.login?.accountId ?? session?.accountId
}

/** What a copy of the store must not tell: ids that are credentials, and what a client has sent along, such as `state`. */
function storedPayload(payload: AdapterPayload, kind: string, seal: Seal): object {
  const { jti, uid, session, params } = payload
  if (bearerKinds.has(kind)) return { ...payload, jti: undefined }
  if (kind === 'Session' && jti !== undefined) return { ...payload, jti: seal.close(jti, `session ${uid}`) }
  if (kind !== 'Interaction') return withSecret(payload, seal.close)
  return {
    ...payload,
    // The provider adds the session's id for applications that want it; we do not.
    ...(session !== undefined && { session: { ...session, cookie: undefined } }),
    ...(params !== undefined && { params: seal.close(JSON.stringify(params), `interaction ${jti}`) }),
  }
}

/** Who found a record by its id knows the id; a session that was found by its second name has it sealed. */
function unsealed(
  { jti, uid, params }: AdapterPayload,
  kind: string,
  { seal, id }: { readonly seal: Seal; readonly id?: string | undefined },
): AdapterPayload {
  if (kind === 'Client') return {}
  if (kind === 'Interaction' && typeof params === 'string')
    return { jti: id, params: JSON.parse(seal.open(params, `interaction ${id}`)) }
  if (id !== undefined) return { jti: id }
  return kind === 'Session' && jti !== undefined ? { jti: seal.open(jti, `session ${uid}`) } : {}
}

/** The secret of a client must be known in plain to be compared, and must not be readable in a copy of the store. */
function withSecret(payload: AdapterPayload, change: Seal['open']): AdapterPayload {
  const { client_id: id, client_secret: secret } = payload
  return secret === undefined ? payload : { ...payload, client_secret: change(secret, `client ${id}`) }
}
