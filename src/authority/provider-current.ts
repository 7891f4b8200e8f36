import type { JWKS, Provider } from 'oidc-provider'
import type { Log } from '../log/log.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import { keysInForce, loadKeys } from './key-ring.ts'
import type { Seal } from './sealed.ts'

/** The provider in force. Its keys are fixed when it is built, so another one takes its place when they change. */
export interface CurrentProvider {
  readonly get: () => Provider
  /** Reads the keys anew. */
  readonly refresh: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface CurrentProviderOptions {
  readonly store: Store
  readonly seal: Seal
  readonly now: Clock
  readonly log: Log
  /** The retired keys, by name, are known and not published. */
  readonly build: (jwks: JWKS, retired: ReadonlySet<string>) => Provider
}

export async function createCurrentProvider(options: CurrentProviderOptions): Promise<CurrentProvider> {
  const { store, seal, now, log, build } = options
  let keys = await loadKeys(store, seal)
  let built: { readonly provider: Provider; readonly until: number } | undefined

  function get(): Provider {
    const time = now()
    if (built === undefined || time >= built.until) {
      const { keys: published, retired, until } = keysInForce(keys, time)
      const jwks = { keys: [...published, ...retired].map(({ jwk }) => jwk) }
      built = { provider: build(jwks, new Set(retired.map(({ kid }) => kid))), until }
    }
    return built.provider
  }

  async function refresh(): Promise<void> {
    const read = await loadKeys(store, seal)
    const isSame = JSON.stringify(read) === JSON.stringify(keys)
    keys = read
    if (!isSame) built = undefined
  }

  let underway = Promise.resolve()
  const timer = setInterval(() => {
    underway = refresh().catch((error: unknown) =>
      log.warn({ err: error }, 'the keys of the authority were not read; those known are used'),
    )
  }, spacing)
  timer.unref()
  return {
    get,
    refresh,
    stop: () => {
      clearInterval(timer)
      return underway
    },
  }
}

/** Four times within the head start of a new key. */
const spacing = 15_000
