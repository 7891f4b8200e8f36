import type { TokenFile } from '../client/node/token-file.ts'
import type { OAuth } from '../client/oauth/oauth-options.ts'
import type { Call } from './command.ts'
import type { Io } from './io.ts'
import { readLastLogin, tokenPath } from './last-login.ts'
import { type Surface, serverUrl, surfaceUrl } from './server-url.ts'
import { showPage } from './show-page.ts'
import { tellWhy } from './sign-in-words.ts'

export interface SignedInOptions {
  /** In place of the server that `serverUrl` finds. */
  readonly server?: URL
  /** Whether a person may be sent to sign in. Default: if one reads what this program says on standard error. */
  readonly mayAsk?: boolean
  /** Prints the address of the page, and leaves the browser alone. */
  readonly isBrowserless?: boolean
  readonly clientId?: string | undefined
  /** Where the browser comes back to, for issuers that know one port. */
  readonly port?: number | undefined
}

/** The one who signed in with `postern login`, for one surface: its `fetch` sends the token and asks for what is missing. */
export async function signedIn(call: Call, surface: Surface, options: SignedInOptions = {}): Promise<OAuth> {
  const { io } = call
  // Loaded when needed: the other commands need no sign-in.
  const { createOAuth } = await import('../client/oauth/create-oauth.ts')
  const { loopbackRedirect } = await import('../client/node/loopback-redirect.ts')
  const server = options.server ?? (await serverUrl(call))
  const store = await tokenStore(call)
  const { clientId, port } = await knownClient(call, server, options)
  const { mayAsk = io.isAttended, isBrowserless = false } = options
  return createOAuth({
    resource: surfaceUrl(server, surface),
    store,
    clientName: 'Postern command line',
    redirect: loopbackRedirect({
      show: (page, over) => showPage(io, page, { isBrowserless, over }),
      ...(port === undefined ? {} : { port }),
    }),
    ...(clientId === undefined ? {} : { clientId }),
    mayAsk: async (question) => {
      if (!mayAsk) return false
      const has = (await store.grant(question.resource))?.scopes ?? []
      io.err(tellWhy(question, has))
      return true
    },
  })
}

export async function tokenStore({ io }: Pick<Call, 'io'>): Promise<TokenFile> {
  const { tokenFile } = await import('../client/node/token-file.ts')
  return uninterrupted(tokenFile(tokenPath(io)), io)
}

/** A refresh token is spent when it is sent: a program that ends before it has written the next one ends the sign-in. */
function uninterrupted(store: TokenFile, io: Io): TokenFile {
  return {
    ...store,
    exclusively: async (resource, work) => {
      let letGo = (): void => {}
      try {
        return await store.exclusively(resource, () => {
          letGo = io.holdSignals()
          return work()
        })
      } finally {
        letGo()
      }
    },
  }
}

interface KnownClient {
  readonly clientId: string | undefined
  readonly port: number | undefined
}

async function knownClient({ io }: Call, server: URL, options: SignedInOptions): Promise<KnownClient> {
  const last = await readLastLogin(io)
  const known = last?.url === server.href ? last : undefined
  const { POSTERN_CLIENT_ID: variable = '' } = io.env
  const named = variable === '' ? undefined : variable
  return {
    clientId: options.clientId ?? named ?? known?.clientId,
    port: options.port ?? known?.port,
  }
}
