/** How a person is sent to sign in, and how their answer comes back. */
export interface Redirect {
  /** `native` for a program that listens on this machine, `web` for a page. */
  readonly kind: 'native' | 'web'
  /** Makes ready for one sign-in; `preferred` is the address of an earlier one, which the issuer may know. */
  readonly open: (preferred?: string) => Promise<OpenRedirect>
}

export interface OpenRedirect {
  readonly redirectUri: string
  /** Shows the page to the person and gives the address that they were sent back to. */
  readonly waitForAnswer: (page: URL, signal: AbortSignal) => Promise<URL>
  readonly close: () => Promise<void>
}
