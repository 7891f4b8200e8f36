import * as second from '@modelcontextprotocol/client'
import * as firstAuth from '@modelcontextprotocol/sdk/client/auth.js'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthMemory } from './oauth-memory.ts'

/** One connection of an official client to a tool server. */
export interface ClientConnection {
  readonly toolNames: () => Promise<readonly string[]>
  /** The first text of the answer. */
  readonly call: (name: string, args: Record<string, unknown>) => Promise<string>
  readonly revision: () => string | undefined
  readonly close: () => Promise<void>
}

export interface OfficialClient {
  readonly name: string
  readonly revision: string
  readonly connect: (url: string, auth: ClientAuth) => Promise<ClientConnection>
  /** Hands the code of a sign-in over, as a host does when the browser comes back. */
  readonly finishSignIn: (url: string, memory: OAuthMemory, callback: URL) => Promise<void>
  /** What the client throws when the person has to sign in first. */
  readonly isSignInNeeded: (error: unknown) => boolean
}

export type ClientAuth = { readonly token: string } | { readonly memory: OAuthMemory }

const information = { name: 'postern-test', version: '1.0.0' } as const

function firstGeneration(): OfficialClient {
  return {
    name: 'the official client v1',
    revision: '2025-11-25',
    connect: async (url, auth) => {
      const client = new FirstClient(information)
      const transport = new FirstTransport(new URL(url), transportOptions(auth))
      await client.connect(transport)
      return {
        toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
        revision: () => transport.protocolVersion,
        close: () => client.close(),
      }
    },
    finishSignIn: async (url, memory, callback) => {
      const transport = new FirstTransport(new URL(url), transportOptions({ memory }))
      await transport.finishAuth(callback.searchParams.get('code') ?? '')
    },
    isSignInNeeded: (error) => error instanceof firstAuth.UnauthorizedError,
  }
}

function secondGeneration(mode: second.VersionNegotiationMode, revision: string): OfficialClient {
  return {
    name: `the official client v2, negotiation ${JSON.stringify(mode)}`,
    revision,
    connect: async (url, auth) => {
      const client = new second.Client(information, { versionNegotiation: { mode } })
      await client.connect(new second.StreamableHTTPClientTransport(new URL(url), transportOptions(auth)))
      return {
        toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
        revision: () => client.getNegotiatedProtocolVersion(),
        close: () => client.close(),
      }
    },
    finishSignIn: async (url, memory, callback) => {
      const transport = new second.StreamableHTTPClientTransport(new URL(url), transportOptions({ memory }))
      await transport.finishAuth(callback.searchParams)
    },
    isSignInNeeded: (error) => error instanceof second.UnauthorizedError,
  }
}

export const officialClients: readonly OfficialClient[] = [
  firstGeneration(),
  secondGeneration('legacy', '2025-11-25'),
  secondGeneration('auto', '2026-07-28'),
  secondGeneration({ pin: '2026-07-28' }, '2026-07-28'),
]

interface TransportOptions {
  readonly requestInit?: { readonly headers: Record<string, string> }
  readonly authProvider?: OAuthMemory['provider']
}

function transportOptions(auth: ClientAuth): TransportOptions {
  return 'token' in auth
    ? { requestInit: { headers: { authorization: `Bearer ${auth.token}` } } }
    : { authProvider: auth.memory.provider }
}

function textOf(result: unknown): string {
  const { content = [] }: { content?: readonly { readonly text?: string }[] } = Object(result)
  return content[0]?.text ?? ''
}
