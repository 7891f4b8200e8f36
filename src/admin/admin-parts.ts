import type { TokenCodec } from '../paging/token-codec.ts'
import type { Clock } from '../store/clock.ts'
import type { Store } from '../store/store.ts'
import type { Owner } from './operation.ts'

/** What operations are made of. */
export interface AdminParts {
  readonly store: Store
  /** For ids and an order. */
  readonly now: Clock
  /** For what is over, or still to come. */
  readonly wall: Clock
  /** Signs cursors. */
  readonly tokens: TokenCodec
  readonly publicUrl: string
  readonly authorizationServers: readonly string[]
}

/** Cursors of one's own records are for oneself; those of everyone's records are for all who may see these. */
export function audienceOf(owner: Owner | undefined): string {
  return owner === undefined ? 'everyone' : JSON.stringify([owner.issuer, owner.principal])
}
