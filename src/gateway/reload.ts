import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'

/** The keys of the gateway that differ, all of them reloadable; otherwise a failure that names those that are not. */
export function refuseFixedChanges(current: Config, next: Config): readonly string[] {
  const changed = changedKeys(current, next).filter((key) => !key.startsWith('authority.'))
  const fixed = changed.filter((key) => !reloadable.has(key))
  if (fixed.length === 0) return changed
  throw new Failure(
    'misconfigured',
    `${fixed.join(', ')}: a change here takes a restart; nothing was changed`,
  )
}

const reloadable: ReadonlySet<string> = new Set(['log.level', 'server.allowedHosts', 'server.allowedOrigins'])

/** Two levels deep, as the file is written: `store`, `server.port`, `issuers`. */
function changedKeys(current: object, next: object, prefix = ''): readonly string[] {
  const before = new Map<string, unknown>(Object.entries(current))
  const after = new Map<string, unknown>(Object.entries(next))
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].flatMap((key) => {
    const [old, fresh] = [before.get(key), after.get(key)]
    if (isDeepStrictEqual(old, fresh)) return []
    return prefix === '' && isSection(old) && isSection(fresh)
      ? changedKeys(old, fresh, `${key}.`)
      : [`${prefix}${key}`]
  })
}

function isSection(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
