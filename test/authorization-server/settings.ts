/** What the process of the authorization server is told when it starts. */
export interface AuthorizationServerSettings {
  readonly port: number
  /** The resource identifiers that tokens are issued for, and the kind of token each gets. */
  readonly resources: Readonly<Record<string, 'jwt' | 'opaque'>>
  readonly scopes: readonly string[]
}

/** What it answers once it listens. */
export interface AuthorizationServerReady {
  readonly issuer: string
  /** A client ID metadata document over https, with a certificate that only this server trusts. */
  readonly clientDocumentUrl: string
}

/** Nothing listens there: the log-in ends where a browser would be sent to it. */
export const redirectUri = 'http://127.0.0.1:33418/callback'
export const publicClientId = 'desk'
export const introspectionClient = { id: 'gateway', secret: 'introspection-secret-of-the-tests' } as const
export const machineClient = { id: 'machine', secret: 'machine-secret-of-the-tests' } as const
