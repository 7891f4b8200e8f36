import type { Principal } from './principal.ts'

/** What a call is for, as far as limits and the record know it. */
export interface CallTarget {
  readonly kind: 'tool' | 'model'
  readonly name: string
}

/**
 * Whether a caller who may do a thing may do it now. Each throws a Failure that says when to try again, or returns a
 * promise of the same where counters are kept elsewhere; there is nothing to wait for otherwise.
 */
export interface Admission {
  /** Once for each request, as soon as it is known who calls; with the target where that is known too. */
  readonly request: (principal: Principal, target?: CallTarget) => Promise<void> | undefined
  /** For a target that is known only later. */
  readonly target: (principal: Principal, target: CallTarget) => Promise<void> | undefined
}
