import type { Config } from '../config/config-schema.ts'
import type { Log } from '../log/log.ts'
import { microsecondClock } from '../store/clock.ts'
import { openStore } from '../store/open-store.ts'
import type { AuthorityContext } from './context.ts'
import { createAuthority } from './create-authority.ts'
import { listen } from './http-listener.ts'
import { createInteractionRoutes } from './interaction-routes.ts'
import { createMachineRoutes } from './machine-routes.ts'
import type { Route } from './route.ts'

export interface AuthorityOptions extends Pick<AuthorityContext, 'demo'> {
  readonly config: Config
  readonly log: Log
  /** Where relative paths of the configuration begin. */
  readonly directory: string
}

export interface StartedAuthority {
  /** Where it listens on this machine. */
  readonly url: string
  readonly issuer: string
  /** Finishes what is in flight and closes the store. */
  readonly stop: () => Promise<void>
}

/** Opens the store, brings it up to date and listens; whatever fails, nothing stays open. */
export async function startAuthority(options: AuthorityOptions): Promise<StartedAuthority> {
  const { config, log, directory, demo } = options
  const store = await openStore(config.store, { log, directory })
  const closing = [store.close]
  const close = async (): Promise<void> => {
    for (const step of closing.toReversed()) await step()
  }
  try {
    const now = microsecondClock()
    const authority = await createAuthority({ config, log, store, now, demo, routes })
    closing.push(authority.stop)
    const listener = await listen(authority.handle, config.authority)
    closing.push(listener.stop)
    return { url: listener.url, issuer: config.authority.issuer, stop: close }
  } catch (error) {
    await close()
    throw error
  }
}

function routes(context: AuthorityContext): readonly Route[] {
  return [...createInteractionRoutes(context), ...createMachineRoutes(context)]
}
