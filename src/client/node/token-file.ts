import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ClientError } from '../client-error.ts'
import { type StoredGrant, type TokenStore, withoutClient } from '../oauth/token-store.ts'
import { withFileLock } from './file-lock.ts'
import { emptyContent, parseContent, renderContent, type TokenFileContent } from './token-file-content.ts'

export interface TokenFile extends TokenStore {
  /** Of every issuer; those that a grant needs stay. */
  readonly forgetUnusedClients: () => Promise<void>
}

/** Grants in one JSON file that its owner alone can read; any number of processes may use it at the same time. */
export function tokenFile(path: string): TokenFile {
  const read = (): Promise<TokenFileContent> => readContent(path)
  const change = (next: (content: TokenFileContent) => TokenFileContent): Promise<void> =>
    locked(path, '', async () => writeContent(path, next(await read())))
  return {
    grant: async (resource) => (await read()).grants.find((grant) => grant.resource === resource),
    grants: async () => (await read()).grants,
    setGrant: (grant) =>
      change(({ grants, clients }) => ({ clients, grants: [...without(grants, grant.resource), grant] })),
    deleteGrant: (resource) =>
      change(({ grants, clients }) => ({ clients, grants: without(grants, resource) })),
    clients: async (issuer) => (await read()).clients.filter((client) => client.issuer === issuer),
    setClient: (client) =>
      change(({ grants, clients }) => ({ grants, clients: [...withoutClient(clients, client), client] })),
    deleteClient: (client) =>
      change(({ grants, clients }) => ({ grants, clients: withoutClient(clients, client) })),
    forgetUnusedClients: async () => {
      if ((await read()).clients.length > 0) await change(withoutUnused)
    },
    exclusively: (resource, work) => locked(path, `.${digest(resource)}`, work),
  }
}

async function locked<Value>(path: string, name: string, work: () => Promise<Value>): Promise<Value> {
  await attempt(path, 'written', () => mkdir(dirname(path), { recursive: true, mode: 0o700 }))
  let isHeld = false
  const working = withFileLock(`${path}${name}.lock`, () => {
    isHeld = true
    return work()
  })
  // What goes wrong in the work is its own affair.
  return working.catch((error: unknown) => {
    if (isHeld) throw error
    return attempt(path, 'written', () => Promise.reject(error))
  })
}

async function readContent(path: string): Promise<TokenFileContent> {
  const text = await attempt(path, 'read', async () => {
    try {
      return await readFile(path, 'utf8')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw error
    }
  })
  const content = text === undefined ? emptyContent : parseContent(text)
  if (content !== undefined) return content
  throw new ClientError(
    'token_file_damaged',
    `${path} is damaged, or of another version: move it away and sign in again`,
  )
}

/** At once or not at all: whoever reads at the same time, or after a crash, sees the old file or the new one. */
async function writeContent(path: string, content: TokenFileContent): Promise<void> {
  const fresh = `${path}.${randomUUID()}`
  await attempt(path, 'written', async () => {
    try {
      const handle = await open(fresh, 'wx', 0o600)
      try {
        await handle.writeFile(renderContent(content))
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(fresh, path)
    } catch (error) {
      await rm(fresh, { force: true })
      throw error
    }
  })
}

async function attempt<Value>(path: string, what: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    throw new ClientError('token_file', `${path} cannot be ${what} (${code})`, { reason: code, cause })
  }
}

function digest(resource: string): string {
  return createHash('sha256').update(resource).digest('hex').slice(0, 16)
}

function withoutUnused({ grants, clients }: TokenFileContent): TokenFileContent {
  const used = new Set(grants.map(({ clientId }) => clientId))
  return { grants, clients: clients.filter(({ clientId }) => used.has(clientId)) }
}

function without(grants: readonly StoredGrant[], resource: string): readonly StoredGrant[] {
  return grants.filter((grant) => grant.resource !== resource)
}
