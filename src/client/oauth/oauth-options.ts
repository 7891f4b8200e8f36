import type { Redirect } from './redirect.ts'
import type { TokenStore } from './token-store.ts'

export interface OAuthOptions {
  /** The identifier of what is called, such as `https://tools.example/mcp`; a token goes to its origin alone. */
  readonly resource: string | URL
  readonly store: TokenStore
  /** Without one nobody is asked: only what the store has is used, and refreshed. */
  readonly redirect?: Redirect
  /** The authorization server, where the resource names several or none. */
  readonly issuer?: string
  /** A client that the issuer knows already; it goes before the two other ways to introduce oneself. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** The https address of a client ID metadata document, for issuers that read such documents. */
  readonly clientMetadataUrl?: string
  /** How this program introduces itself to people. Default "Postern client". */
  readonly clientName?: string
  /** What is asked for at first. Default: what the server says a caller needs. */
  readonly scopes?: readonly string[]
  readonly fetch?: typeof globalThis.fetch
  readonly onEvent?: (event: AuthEvent) => void
  /** Whether a person may be asked now. Default true. */
  readonly mayAsk?: boolean | ((asked: SignInQuestion) => boolean | Promise<boolean>)
  /** How long a person has to sign in. Default ten minutes. */
  readonly signInTimeoutMs?: number
  /** Default: the clock of the machine. */
  readonly now?: () => number
}

export interface SignInQuestion {
  readonly issuer: string
  readonly resource: string
  readonly scopes: readonly string[]
  /** `step-up`: there is a token, and a call needs more than it allows. */
  readonly why: 'sign-in' | 'step-up'
}

/** What happens on the way to a token, for a host that tells people about it. */
export type AuthEvent =
  | { readonly kind: 'discovered'; readonly resource: string; readonly issuer: string }
  | { readonly kind: 'registered'; readonly issuer: string; readonly clientId: string }
  | ({ readonly kind: 'asked' } & SignInQuestion)
  | { readonly kind: 'signed-in'; readonly issuer: string; readonly scopes: readonly string[] }
  | { readonly kind: 'refreshed'; readonly issuer: string; readonly expiresAt: number | undefined }
  | { readonly kind: 'signed-out'; readonly issuer: string; readonly isRevoked: boolean }

export interface AccessToken {
  readonly accessToken: string
  readonly issuer: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly expiresAt?: number | undefined
}

export interface SignInOptions {
  /** In place of what the server says a caller needs. */
  readonly scopes?: readonly string[]
  readonly signal?: AbortSignal
}

export interface OAuth {
  readonly resource: string
  /**
   * Calls the resource with a token: refreshed before it expires, got by a sign-in where there is none, and widened by
   * at most two more where a call needs more scopes. Calls no other origin, and follows no redirect.
   */
  readonly fetch: typeof globalThis.fetch
  /** A token that is good now, got like those of `fetch`. */
  readonly token: (options?: { readonly signal?: AbortSignal }) => Promise<AccessToken>
  /** Asks the person, whatever the store has. */
  readonly signIn: (options?: SignInOptions) => Promise<AccessToken>
  /** Forgets the token here, and revokes it at the issuer where that is possible. */
  readonly signOut: () => Promise<{ readonly isRevoked: boolean }>
}
