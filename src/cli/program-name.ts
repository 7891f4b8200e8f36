import type { Io } from './io.ts'

/** How the program is called from here: in a checkout there is no `postern` to be found but through npx, which says so. */
export function programName({ env }: Pick<Io, 'env'>): string {
  return env.npm_lifecycle_event === 'npx' || env.npm_command === 'exec' ? 'npx postern' : 'postern'
}
