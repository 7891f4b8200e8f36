/** Who is calling, as a verified access token says. */
export interface Principal {
  readonly issuer: string
  /** `sub`, or the client itself where a token names nobody else. */
  readonly subject: string
  /** What people know the subject by, where the credential says so. Only to be shown: nothing is decided by it. */
  readonly name?: string | undefined
  /** An opaque text; it may be an https URL (client ID metadata documents). */
  readonly clientId: string | undefined
  readonly scopes: ReadonlySet<string>
  /** Seconds since 1970, as in `exp`. */
  readonly expiresAt: number
  /**
   * `id` is that of an API key, that of the key with which a service account signed, or the first half of the SHA-256 of
   * the token in hex, of a JWT without its signature; the token itself is kept nowhere.
   */
  readonly credential: {
    readonly kind: 'jwt' | 'introspection' | 'api-key' | 'service-account'
    readonly id: string
  }
  /** `cnf.jkt`: the key that every request with this token must prove (RFC 9449). */
  readonly dpopKeyThumbprint: string | undefined
}
