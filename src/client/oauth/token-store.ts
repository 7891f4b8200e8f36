/** What a sign-in for one resource gave; it is spent at the issuer that gave it, and nowhere else. */
export interface StoredGrant {
  /** What is called, as the host names it; the key of the grant. */
  readonly resource: string
  /** The same as the server writes it, which may differ by a slash at the end: this is what issuers know. */
  readonly audience: string
  readonly issuer: string
  readonly clientId: string
  readonly accessToken: string
  readonly refreshToken?: string | undefined
  readonly scopes: readonly string[]
  /** Milliseconds since 1970, like all times here. */
  readonly savedAt: number
  readonly expiresAt?: number | undefined
}

export interface ClientName {
  readonly issuer: string
  readonly clientId: string
}

/** A client that an issuer has registered for us. */
export interface StoredClient extends ClientName {
  readonly clientSecret?: string | undefined
  /** Absent where the secret does not expire. */
  readonly secretExpiresAt?: number | undefined
  readonly authMethod?: string | undefined
  readonly redirectUris: readonly string[]
}

/** Where grants and registrations are kept: `memoryStore`, `tokenFile`, or one of the host's own. */
export interface TokenStore {
  readonly grant: (resource: string) => Promise<StoredGrant | undefined>
  readonly grants: () => Promise<readonly StoredGrant[]>
  readonly setGrant: (grant: StoredGrant) => Promise<void>
  readonly deleteGrant: (resource: string) => Promise<void>
  /** What an issuer has registered for us, oldest first: usually one, more where a redirect had to change. */
  readonly clients: (issuer: string) => Promise<readonly StoredClient[]>
  readonly setClient: (client: StoredClient) => Promise<void>
  readonly deleteClient: (client: ClientName) => Promise<void>
  /**
   * Runs `work` while nobody else who uses this store does so for the same resource. A refresh token is good for one
   * use, and a second one makes the issuer end the grant.
   */
  readonly exclusively: <Value>(resource: string, work: () => Promise<Value>) => Promise<Value>
}

export function withoutClient(
  clients: readonly StoredClient[],
  { issuer, clientId }: ClientName,
): readonly StoredClient[] {
  return clients.filter((client) => client.issuer !== issuer || client.clientId !== clientId)
}
