import { type Complaint, list, pick } from './partial-config.ts'
import { keyPath } from './problem.ts'

/** Limits of models name models, as only those are counted, and every entry limits something. */
export function limitChecks(config: unknown): Complaint[] {
  return [
    ...modelNames(config),
    ...['tools', 'models'].flatMap((section) => emptyLimits(pick(config, 'limits', section), section)),
  ]
}

function modelNames(config: unknown): Complaint[] {
  const names = list(pick(config, 'models')).map((model) => pick(model, 'name'))
  if (names.some((name) => typeof name !== 'string')) return []
  return entries(pick(config, 'limits', 'models')).flatMap(([name]): Complaint[] => {
    if (names.includes(name)) return []
    const path = keyPath('limits.models', name)
    const target = pick(config, 'aliases', name)
    if (typeof target === 'string')
      return [{ path, complaint: `is an alias; calls are counted for the model, which is ${target}` }]
    const known = names.length === 0 ? 'there are no models' : `the models are ${names.join(', ')}`
    return [{ path, complaint: `must name a model; ${known}` }]
  })
}

function emptyLimits(limits: unknown, section: string): Complaint[] {
  return entries(limits).flatMap(([name, limit]): Complaint[] => {
    const isEmpty =
      typeof limit === 'object' && limit !== null && Object.keys(limit).every((key) => key === 'of')
    const path = keyPath(`limits.${section}`, name)
    return isEmpty ? [{ path, complaint: 'must set a limit, such as requestsPerMinute' }] : []
  })
}

function entries(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}
