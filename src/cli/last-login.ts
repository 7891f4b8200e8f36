import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { tokenFilePath } from '../client/node/token-file-path.ts'
import type { Io } from './io.ts'

/** What later commands need to know of a login, besides its tokens. */
export interface LastLogin {
  /** The server, as `postern login` was given it. */
  readonly url: string
  /** A client that the issuer knows, where it lets none introduce itself. */
  readonly clientId?: string | undefined
  /** The port that this client is known to come back to. */
  readonly port?: number | undefined
}

/** Where tokens are kept; only its owner can read the file. */
export function tokenPath({ env }: Pick<Io, 'env'>): string {
  const { POSTERN_TOKEN_FILE: chosen = '' } = env
  return chosen === '' ? tokenFilePath(env) : chosen
}

/** A record that cannot be read is none: it only spares typing. */
export async function readLastLogin(io: Pick<Io, 'env'>): Promise<LastLogin | undefined> {
  try {
    const { url, clientId, port } = Object(JSON.parse(await readFile(recordPath(io), 'utf8')))
    if (typeof url !== 'string') return undefined
    return {
      url,
      ...(typeof clientId === 'string' ? { clientId } : {}),
      ...(typeof port === 'number' ? { port } : {}),
    }
  } catch {
    return undefined
  }
}

export async function writeLastLogin(io: Pick<Io, 'env'>, login: LastLogin): Promise<void> {
  const path = recordPath(io)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600 })
}

export async function forgetLastLogin(io: Pick<Io, 'env'>): Promise<void> {
  await rm(recordPath(io), { force: true })
}

function recordPath(io: Pick<Io, 'env'>): string {
  return join(dirname(tokenPath(io)), 'last-login.json')
}
