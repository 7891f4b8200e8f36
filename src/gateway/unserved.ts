import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/config-schema.ts'
import { parseConfig } from '../config/parse-config.ts'

/** Settings that this version accepts but does not act on, and that are set to other than their default. */
export function unservedSettings(config: Config): readonly string[] {
  const defaults = parseConfig('', { file: 'defaults', env: {} })
  return unserved.filter(([, read]) => !isDeepStrictEqual(read(config), read(defaults))).map(([key]) => key)
}

/** The part that comes to serve a setting deletes its row. */
const unserved: readonly (readonly [string, (config: Config) => unknown])[] = [
  ['server.opsPort', ({ server }) => server.opsPort],
  ['server.workers', ({ server }) => server.workers],
]
