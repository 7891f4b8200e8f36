import { createOAuth } from '../../src/client/oauth/create-oauth.ts'
import { memoryStore } from '../../src/client/oauth/memory-store.ts'
import type { OAuth, OAuthOptions } from '../../src/client/oauth/oauth-options.ts'
import { type ScriptedServers, scriptedPerson } from './scripted-servers.ts'

/** The client under test, with a person who agrees to everything and a memory of its own. */
export function oauthFor(servers: ScriptedServers, options: Partial<OAuthOptions> = {}): OAuth {
  return createOAuth({
    resource: servers.resource,
    store: memoryStore(),
    redirect: scriptedPerson(),
    ...options,
  })
}

export function twenty<Value>(work: () => Promise<Value>): Promise<Value>[] {
  return Array.from({ length: 20 }, work)
}
