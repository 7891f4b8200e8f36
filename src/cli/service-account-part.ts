import { Failure } from '../failure/failure.ts'
import { type AccountPart, unknownAccount } from './service-account-calls.ts'
import type { Remote, TwoWays } from './two-ways.ts'

export const accountPart: TwoWays<AccountPart> = {
  stored: async (opened) => (await import('./service-accounts-stored.ts')).storedServiceAccounts(opened),
  remote: ({ api, server }) => ({
    usualScopes: () => scopesOfModels(server),
    serviceAccounts: api.serviceAccounts,
    create: async (order) => (await api.createServiceAccount(order)).credentials,
    switch: async (email, disabled) => {
      await api.updateServiceAccount(await idOf(email, api), { disabled })
    },
    rotate: async (email, overlap_seconds) =>
      (await api.rotateServiceAccount(await idOf(email, api), { overlap_seconds })).credentials,
  }),
}

async function idOf(email: string, { serviceAccounts }: Remote['api']): Promise<string> {
  for await (const account of serviceAccounts({ limit: 100, prefetch: true }))
    if (account.email === email) return account.id
  throw unknownAccount(email)
}

/** Where scopes begin is configured, so the server is asked: its metadata (RFC 9728) names them. */
async function scopesOfModels({ origin }: URL): Promise<readonly string[]> {
  const url = `${origin}/.well-known/oauth-protected-resource/v1beta`
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(patienceMs) })
    const { scopes_supported: named } = Object(await response.json())
    const found = Array.isArray(named)
      ? named.map(String).filter((name) => name.endsWith('/cloud-platform'))
      : []
    if (found.length > 0) return found
    throw new Error('no such scope is named')
  } catch (cause) {
    throw new Failure('unavailable', `${url} does not name the scope of the models: name one with --scope`, {
      cause,
    })
  }
}

const patienceMs = 10_000
