import type { Provider } from 'oidc-provider'
import type { Config } from '../config/config-schema.ts'
import type { Log } from '../log/log.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import type { ScryptCost } from './passwords.ts'
import type { Resources } from './resources.ts'

/** What the parts of the authority share. */
export interface AuthorityContext {
  readonly config: Config
  readonly store: Store
  readonly log: Log
  /** Microseconds since 1970. */
  readonly now: Clock
  readonly resources: Resources
  /** The provider in force; a new one takes its place when keys change, so ask each time. */
  readonly provider: () => Provider
  /** Set by `postern dev` alone: the sign-in page shows it to everybody. */
  readonly demo?: { readonly login: string; readonly password: string } | undefined
  /** What checking a password costs where there is no hash to tell, if not what it should: for tests. */
  readonly passwordCost?: ScryptCost | undefined
}
