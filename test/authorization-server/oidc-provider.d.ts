/** The package brings no types; these are the few that the test authorization server uses. */
declare module 'oidc-provider' {
  import type { Server } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    listen(port: number, host: string, listening: () => void): Server
  }
  export const errors: { readonly InvalidTarget: new () => Error }
}
