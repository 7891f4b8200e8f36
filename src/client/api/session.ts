import { number, objectOf, oneOf, optional, orNull, type Reader, text } from '../wire-reader.ts'

/** A credential in use. Times are texts of RFC 3339. */
export interface Session {
  readonly id: string
  readonly created_at: string
  readonly last_seen_at: string
  readonly state: 'active' | 'idle' | 'revoked'
  /** `tools`, `models` or `api`. */
  readonly surface: string
  readonly principal: string
  /** What people know the principal by; only to be shown. Older gateways leave it out. */
  readonly principal_name?: string | null | undefined
  /** Who vouches for the principal. */
  readonly issuer: string
  readonly client: string | null
  readonly credential: {
    /** `jwt`, `introspection`, `api-key` or `service-account`. */
    readonly kind: string
    readonly id: string
    readonly expires_at: string | null
  }
  readonly revision: string
  readonly calls: number
  readonly denials: number
  readonly tokens_in: number
  readonly tokens_out: number
  readonly revoked_at: string | null
}

export const session: Reader<Session> = objectOf<Session>({
  id: text,
  created_at: text,
  last_seen_at: text,
  state: oneOf(['active', 'idle', 'revoked']),
  surface: text,
  principal: text,
  principal_name: optional(text),
  issuer: text,
  client: orNull(text),
  credential: objectOf<Session['credential']>({ kind: text, id: text, expires_at: orNull(text) }),
  revision: text,
  calls: number,
  denials: number,
  tokens_in: number,
  tokens_out: number,
  revoked_at: orNull(text),
})

/** What a list of sessions is narrowed to. */
export interface SessionFilters {
  readonly principal?: string | undefined
  /** Only beside a principal. */
  readonly issuer?: string | undefined
}
