import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { ensureDevKey } from './dev-api-key.ts'
import { type AuthorityProcess, spawnAuthority } from './dev-authority.ts'
import { type DevPorts, type DevSecrets, devConfigFile, devSecrets, writeDevConfig } from './dev-files.ts'
import { isFreePort } from './free-port.ts'
import type { Io } from './io.ts'
import { type LoadedConfig, loadConfig } from './load-config.ts'
import { openLog } from './open-log.ts'
import type { Serving } from './serve-gateway.ts'
import type { Stoppable } from './stop-on.ts'

export interface DevPrograms extends Stoppable {
  readonly gatewayUrl: string
  readonly authorityUrl: string
  readonly secrets: DevSecrets
  /** For the model API. */
  readonly apiKey: string
  /** Whether they are not where one looks first. */
  readonly isMoved: boolean
  /** Resolves with the exit code when one of the two has ended by itself. */
  readonly failed: Promise<number>
}

/** The authority in a process of its own, and the gateway in this one; each takes its time to load, so both at once. */
export async function startBoth(
  io: Io,
  { isVerbose }: { readonly isVerbose: boolean },
): Promise<DevPrograms> {
  const secrets = await devSecrets(io.cwd)
  let log: Log | undefined
  for (const ports of portPairs()) {
    if (!(await areFree(ports))) continue
    await writeDevConfig(io.cwd, ports, secrets)
    const authority = spawnAuthority(io, { demoPassword: secrets.demoPassword, isVerbose })
    const loaded = await loadConfig({ file: devConfigFile }, io)
    log ??= openLog(loaded.config, io, { level: isVerbose ? 'debug' : 'warn', runsTools: true })
    const started = await startPair({ loaded, authority, ports, log })
    if (started !== undefined)
      return bothOf(io, { ...loaded, ...started, authority, secrets, isMoved: ports.gateway !== firstPort })
  }
  throw new Failure('misconfigured', `no two ports from ${firstPort} to ${lastPort} are free on 127.0.0.1`)
}

const firstPort = 8080
const lastPort = firstPort + 191

/** In steps of ten, which leaves 8082 to the metrics. */
function* portPairs(): Generator<DevPorts> {
  for (let port = firstPort; port < lastPort; port += 10) yield { gateway: port, authority: port + 1 }
}

async function areFree({ gateway, authority }: DevPorts): Promise<boolean> {
  return (await isFreePort(gateway)) && (await isFreePort(authority))
}

interface Pair {
  readonly loaded: LoadedConfig
  readonly authority: AuthorityProcess
  readonly ports: DevPorts
  readonly log: Log
}

interface ServingWithKey extends Pick<DevPrograms, 'apiKey'> {
  readonly serving: Serving
}

/** Undefined if another program took one of the ports meanwhile; whatever fails, neither goes on running. */
async function startPair({ loaded, authority, ports, log }: Pair): Promise<ServingWithKey | undefined> {
  try {
    // What takes long is done while the authority starts; the gateway listens when it can read the authority's keys.
    const [isReady, apiKey, { startServing }] = await Promise.all([
      authority.isReady,
      ensureDevKey(loaded, log),
      import('./serve-gateway.ts'),
    ])
    if (isReady) return { apiKey, serving: await startServing(loaded, log) }
  } catch (error) {
    await authority.stop()
    if (isPortInUse(error)) return undefined
    throw error
  }
  if (!(await isFreePort(ports.authority))) return undefined
  throw new Failure('unavailable', `the authority did not start: ${authority.complaint()}`)
}

function isPortInUse(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
}

interface Started
  extends Pick<DevPrograms, 'secrets' | 'isMoved'>,
    Pick<LoadedConfig, 'config'>,
    ServingWithKey {
  readonly authority: AuthorityProcess
}

function bothOf(io: Io, { config, serving, authority, ...shown }: Started): DevPrograms {
  return {
    gatewayUrl: serving.url,
    authorityUrl: config.authority.issuer,
    secrets: shown.secrets,
    apiKey: shown.apiKey,
    isMoved: shown.isMoved,
    log: serving.log,
    stop: async () => {
      await Promise.all([serving.stop(), authority.stop()])
    },
    failed: authority.died.then(async () => {
      io.err(`The authority has ended by itself, so the gateway stops too. ${authority.complaint()}\n`)
      await serving.stop()
      return 1
    }),
  }
}
