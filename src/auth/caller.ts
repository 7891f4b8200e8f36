import type { Principal } from './principal.ts'

/** Who calls the model API, and which models they may call. */
export interface Caller {
  readonly principal: Principal
  /** Names of models, `*` for any text; undefined for all. */
  readonly models: readonly string[] | undefined
}
