import { oneAtATime, type Turns } from './one-at-a-time.ts'
import { type StoredClient, type StoredGrant, type TokenStore, withoutClient } from './token-store.ts'

/** Forgets everything when the program ends. */
export function memoryStore(): TokenStore {
  const grants = new Map<string, StoredGrant>()
  let clients: readonly StoredClient[] = []
  const turns = new Map<string, Turns>()
  return {
    grant: async (resource) => grants.get(resource),
    grants: async () => [...grants.values()],
    setGrant: async (grant) => void grants.set(grant.resource, grant),
    deleteGrant: async (resource) => void grants.delete(resource),
    clients: async (issuer) => clients.filter((client) => client.issuer === issuer),
    setClient: async (client) => {
      clients = [...withoutClient(clients, client), client]
    },
    deleteClient: async (client) => {
      clients = withoutClient(clients, client)
    },
    exclusively: (resource, work) => {
      const inTurn = turns.get(resource) ?? oneAtATime()
      turns.set(resource, inTurn)
      return inTurn(work)
    },
  }
}
