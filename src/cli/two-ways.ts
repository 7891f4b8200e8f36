import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { ApiClient } from '../client/api/api-client.ts'
import { Failure } from '../failure/failure.ts'
import { type Call, type CommandOption, textOption } from './command.ts'
import { readLastLogin } from './last-login.ts'
import type { OpenedStore } from './with-store.ts'

/** A part of what operators do, on the store of a configuration or over HTTP, with the same answers. */
export interface TwoWays<Part> {
  readonly stored: (opened: OpenedStore) => Promise<Part>
  readonly remote: (remote: Remote) => Part
}

export interface Remote {
  readonly api: ApiClient
  readonly server: URL
}

export const placeOptions: { readonly config: CommandOption; readonly url: CommandOption } = {
  config: {
    type: 'string',
    placeholder: 'FILE',
    description: 'Work on the store of this configuration (default ./postern.yaml if there is one).',
  },
  url: {
    type: 'string',
    placeholder: 'URL',
    description: 'Work over HTTP on this server, after "postern login" (default $POSTERN_URL if set).',
  },
}

export async function withPart<Part, Result>(
  call: Call,
  { stored, remote }: TwoWays<Part>,
  work: (part: Part) => Promise<Result>,
): Promise<Result> {
  if (await isOverHttp(call)) return work(remote(await openRemote(call)))
  const { withStore } = await import('./with-store.ts')
  return withStore(call, async (opened) => work(await stored(opened)))
}

/** Whoever has no configuration here, but has signed in somewhere, means the server there. */
async function isOverHttp(call: Call): Promise<boolean> {
  const { io } = call
  const [config, url] = [textOption(call, 'config'), textOption(call, 'url')]
  if (config !== undefined && url !== undefined)
    throw new Failure('invalid-request', '--config works on a store and --url over HTTP: give one of them')
  if (config !== undefined) return false
  if (url !== undefined || (io.env.POSTERN_URL ?? '') !== '') return true
  if (await isThere(join(io.cwd, 'postern.yaml'))) return false
  const last = await readLastLogin(io)
  if (last !== undefined && io.isAttended) io.err(`On ${last.url}, the server of the last login.\n`)
  return last !== undefined
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function openRemote(call: Call): Promise<Remote> {
  const { serverUrl } = await import('./server-url.ts')
  const { signedIn } = await import('./signed-in.ts')
  const { apiClient } = await import('../client/api/api-client.ts')
  const server = await serverUrl(call)
  const { fetch } = await signedIn(call, 'api', { server })
  return { api: apiClient(server.origin, { fetch }), server }
}
