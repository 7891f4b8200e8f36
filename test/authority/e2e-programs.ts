import { fileURLToPath } from 'node:url'
import { input, workplace } from '../cli/call-postern.ts'
import { freeAddress } from '../conformance/gateway-process.ts'
import { freePort } from '../free-port.ts'
import { noteSecret } from '../records/secret-search-notes.ts'
import { type Postern, spawnPostern } from '../serving/spawn-postern.ts'

/** The gateway and the authority, each the real program in a process of its own, on one configuration. */
export interface Programs extends AsyncDisposable {
  readonly issuer: string
  /** The URL of the tool server and its resource identifier. */
  readonly resource: string
  /** The resource identifier of another surface of the same gateway. */
  readonly otherResource: string
  readonly otherScope: string
  /** Ends the authority as a power cut would. */
  readonly killAuthority: () => Promise<void>
  /** Starts the authority again, on the same port and store. */
  readonly restartAuthority: () => Promise<void>
}

export interface ProgramsOrder {
  /** Settings of the gateway's server besides the usual ones. */
  readonly server?: Readonly<Record<string, unknown>>
  /** Settings of the authority besides the usual ones. */
  readonly authority?: Readonly<Record<string, unknown>>
  /** Whether access tokens are opaque, and the gateway asks about each. */
  readonly isOpaque?: boolean
  readonly store?: string
  /** Instances of the authority, behind an issuer URL that somebody else listens on. */
  readonly instances?: { readonly issuer: string; readonly ports: readonly number[] }
  readonly env?: NodeJS.ProcessEnv
}

export const ada = { login: 'ada', name: 'Ada Lovelace', password: 'a long word of Ada' } as const
export const desk = { id: 'desk', name: 'The desk app', redirectUri: 'http://127.0.0.1/callback' } as const
/** How long the gateway remembers what it was told about an opaque token. */
export const cacheSeconds = 1
const sealingSecret = 'T5kq0Zr8Wm3Xv6Bn9Yc2Ld4Fg7Hj1KsQ8'
const gatewayClient = { id: 'gateway', secret: 'the secret of the gateway at the authority' } as const

const addUser = ['authority', 'users', 'add', ada.login] as const

export async function startPrograms(order: ProgramsOrder = {}): Promise<Programs> {
  noteSecret('a password', ada.password)
  noteSecret('a client secret', gatewayClient.secret)
  noteSecret('the secret of the authority', sealingSecret)
  const gateway = await freeAddress()
  const ports = order.instances?.ports ?? [await freePort()]
  const issuer = order.instances?.issuer ?? `http://127.0.0.1:${ports[0]}`
  const place = await workplace(JSON.stringify(configuration({ ...order, issuer, ...gateway })))
  const running: Postern[] = []
  const start = async (args: readonly string[]): Promise<void> => {
    const program = spawnPostern(args, { cwd: place.folder, ...(order.env && { env: order.env }) })
    running.push(program)
    await program.logs('ready')
  }
  const startAuthority = (port: number): Promise<void> => start(['authority', '--port', String(port)])
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((program) => program[Symbol.asyncDispose]()))
    await place[Symbol.asyncDispose]()
  }
  try {
    const added = await place.call([...addUser, '--name', ada.name], input(`${ada.password}\n`))
    if (added.code !== 0) throw new Error(`the user could not be added: ${added.err}`)
    await Promise.all([...ports.map(startAuthority), start(['serve'])])
  } catch (error) {
    await stop()
    throw error
  }
  return {
    issuer,
    resource: gateway.resource,
    otherResource: `${gateway.origin}/v1beta`,
    otherScope: 'https://www.googleapis.com/auth/generative-language',
    killAuthority: async () => {
      for (const program of running.filter(({ child }) => child.spawnargs.includes('authority'))) {
        program.child.kill('SIGKILL')
        await program.ended()
      }
    },
    restartAuthority: async () => {
      for (const port of ports) await startAuthority(port)
    },
    [Symbol.asyncDispose]: stop,
  }
}

interface Place extends ProgramsOrder {
  readonly issuer: string
  readonly port: number
  readonly origin: string
}

function configuration({ issuer, port, origin, isOpaque = false, ...order }: Place): object {
  const { id: clientId, secret: clientSecret } = gatewayClient
  const introspection = { url: `${issuer}/introspect`, clientId, clientSecret, cacheSeconds }
  const tools = fileURLToPath(new URL('../conformance/note-tools.ts', import.meta.url))
  return {
    server: { host: '127.0.0.1', port, opsPort: 0, publicUrl: origin, ...order.server },
    store: order.store ?? 'sqlite:./postern.db',
    issuers: [{ issuer, ...(isOpaque ? { validate: 'introspection', introspection } : {}) }],
    tools: { sources: [{ kind: 'module', path: tools }] },
    authority: {
      issuer,
      secret: sealingSecret,
      ...(isOpaque ? { opaqueResources: ['mcp'] } : {}),
      scopes: {
        'notes:read': { description: 'Read your notes' },
        'notes:write': { description: 'Write and change your notes' },
      },
      clients: [
        { id: desk.id, name: desk.name, redirectUris: [desk.redirectUri] },
        { id: clientId, name: 'The gateway', secret: clientSecret, grants: [], introspects: true },
      ],
      ...order.authority,
    },
  }
}
