import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config-schema.ts'
import { parseConfig } from '../config/parse-config.ts'
import { derivedPublicUrl } from '../config/public-url.ts'
import { Failure } from '../failure/failure.ts'
import type { Io } from './io.ts'

export interface ConfigRequest {
  /** Unless given, `./postern.yaml` if it exists, else the defaults. */
  readonly file?: string | undefined
  readonly host?: string | undefined
  readonly port?: number | undefined
}

export interface LoadedConfig {
  readonly config: Config
  /** The file that was read, if one was. */
  readonly file: string | undefined
  /** Where relative paths in the configuration begin: the folder of the file. */
  readonly directory: string
}

export async function loadConfig(request: ConfigRequest, io: Pick<Io, 'cwd' | 'env'>): Promise<LoadedConfig> {
  const file = request.file ?? defaultFile
  const path = resolve(io.cwd, file)
  const text = await readText(path, file, request.file === undefined)
  const config = parseConfig(text ?? '', { file, env: io.env })
  return {
    config: withOverrides(config, request),
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

/** A public URL that was derived from host and port follows them; one that was written stays. */
function withOverrides(config: Config, { host, port }: ConfigRequest): Config {
  const { server } = config
  const moved = { ...server, host: host ?? server.host, port: port ?? server.port }
  const before = derivedPublicUrl(server.host, server.port)
  if (!('url' in before) || before.url !== server.publicUrl) return { ...config, server: moved }
  const after = derivedPublicUrl(moved.host, moved.port)
  if (!('url' in after))
    throw new Failure('misconfigured', `server.publicUrl ${after.complaint}`, { field: 'server.publicUrl' })
  return { ...config, server: { ...moved, publicUrl: after.url } }
}
