import type { TokenCodec } from '../paging/token-codec.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import type { Owner } from './operation.ts'

/** What operations are made of. */
export interface AdminParts {
  readonly store: Store
  readonly now: Clock
  /** Signs cursors. */
  readonly tokens: TokenCodec
  readonly publicUrl: string
  readonly authorizationServers: readonly string[]
}

/** Cursors of one's own records are for oneself; those of everyone's records are for all who may see these. */
export function audienceOf(owner: Owner | undefined): string {
  return owner === undefined ? 'everyone' : JSON.stringify([owner.issuer, owner.principal])
}
