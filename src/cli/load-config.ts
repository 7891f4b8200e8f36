import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config-schema.ts'
import { crossChecks } from '../config/cross-checks.ts'
import { parseConfig } from '../config/parse-config.ts'
import { derivedUrl, gatewayListener, type Listener } from '../config/public-url.ts'
import { listenHostComplaint } from '../config/url-rules.ts'
import { Failure } from '../failure/failure.ts'
import { freePort } from './free-port.ts'
import type { Io } from './io.ts'

export interface ConfigRequest {
  /** Unless given, `./postern.yaml` if it exists, else the defaults. */
  readonly file?: string | undefined
  readonly host?: string | undefined
  /** 0 takes any free port. */
  readonly port?: number | undefined
  /** Whose host and port these are; the gateway's unless given. */
  readonly listener?: Listener
}

export interface LoadedConfig {
  readonly config: Config
  /** The file that was read, if one was. */
  readonly file: string | undefined
  /** Where relative paths in the configuration begin: the folder of the file. */
  readonly directory: string
}

export async function loadConfig(request: ConfigRequest, io: Pick<Io, 'cwd' | 'env'>): Promise<LoadedConfig> {
  refuseMisuse(request)
  const file = request.file ?? defaultFile
  const path = resolve(io.cwd, file)
  const text = await readText(path, file, request.file === undefined)
  const config = parseConfig(text ?? '', { file, env: io.env })
  return {
    config: await withOverrides(config, request),
    file: text === undefined ? undefined : file,
    directory: text === undefined ? io.cwd : dirname(path),
  }
}

const defaultFile = 'postern.yaml'

async function readText(path: string, shown: string, mayBeMissing: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT' && mayBeMissing) return undefined
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${String(code)})`
    throw new Failure('misconfigured', `${shown}: ${why}; name a configuration file with --config`, { cause })
  }
}

/** What is typed is held to the same rules as what is written in the file. */
function refuseMisuse({ file, host }: ConfigRequest): void {
  if (file === '') throw new Failure('invalid-request', '--config must name a file, and is empty')
  const complaint = host === undefined ? undefined : listenHostComplaint(host)
  if (complaint !== undefined) throw new Failure('invalid-request', `--host ${complaint}, not "${host}"`)
}

/** A URL that was derived from host and port follows them; one that was written stays. */
async function withOverrides(config: Config, request: ConfigRequest): Promise<Config> {
  const { host, port, listener = gatewayListener } = request
  if (host === undefined && port === undefined) return config
  const before = placeOf(config, listener)
  const place = { host: host ?? before.host, port: port ?? before.port, url: before.url }
  const derived = derivedUrl(listener, before)
  if ('url' in derived && derived.url === before.url) {
    // The URL follows from the port, so the port has to be known first.
    if (place.port === 0) place.port = await freePort(place.host)
    place.url = urlOf(place, listener)
  }
  const changed = movedTo(place, listener, config)
  const complaints = crossChecks(changed).map(({ path, complaint }) => `${path} ${complaint}`)
  if (complaints.length > 0) throw new Failure('misconfigured', complaints.join('\n'))
  return changed
}

/** Where a program listens, and how clients know it. */
interface Place {
  readonly host: string
  readonly port: number
  readonly url: string
}

function placeOf({ server, authority }: Config, { section }: Listener): Place {
  return section === 'server' ? { ...server, url: server.publicUrl } : { ...authority, url: authority.issuer }
}

function movedTo({ host, port, url }: Place, { section }: Listener, config: Config): Config {
  return section === 'server'
    ? { ...config, server: { ...config.server, host, port, publicUrl: url } }
    : { ...config, authority: { ...config.authority, host, port, issuer: url } }
}

function urlOf(place: Place, listener: Listener): string {
  const derived = derivedUrl(listener, place)
  if ('url' in derived) return derived.url
  const field = `${listener.section}.${listener.key}`
  throw new Failure('misconfigured', `${field} ${derived.complaint}`, { field })
}
