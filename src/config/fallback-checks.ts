import { type Complaint, list, pick } from './partial-config.ts'

/** Each fallback names another model, once, and no model stands in for itself in a roundabout way. */
export function fallbackChecks(config: unknown): Complaint[] {
  const models = list(pick(config, 'models'))
  const names = models.map((model) => pick(model, 'name'))
  if (names.some((name) => typeof name !== 'string')) return []
  return models.flatMap((model, index) =>
    fallbacksOf(model).flatMap((target, place, all): Complaint[] => {
      const complaint = complaintAbout(target, {
        models,
        names,
        index,
        isRepeated: all.indexOf(target) < place,
      })
      return complaint === undefined ? [] : [{ path: `models[${index}].fallbacks[${place}]`, complaint }]
    }),
  )
}

interface Place {
  readonly models: readonly unknown[]
  readonly names: readonly unknown[]
  readonly index: number
  readonly isRepeated: boolean
}

function complaintAbout(target: unknown, { models, names, index, isRepeated }: Place): string | undefined {
  // What was refused as it was read is no name.
  if (typeof target !== 'string') return undefined
  const name = names[index]
  if (target === name) return 'must name another model, and this is the model itself'
  if (!names.includes(target)) return `must name a model; the models are ${names.join(', ')}`
  if (isRepeated) return 'must be unique, and stands there already'
  // Of every circle one step goes up the file: one complaint is enough.
  if (names.indexOf(target) < index && reaches(target, name, { models, names }))
    return `leads back to ${String(name)}, through the fallbacks of ${target}`
  return undefined
}

function reaches(from: unknown, goal: unknown, { models, names }: Pick<Place, 'models' | 'names'>): boolean {
  const seen = new Set<unknown>()
  const open = [from]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === goal) return true
    if (seen.has(name)) continue
    seen.add(name)
    open.push(...fallbacksOf(models[names.indexOf(name)]))
  }
  return false
}

function fallbacksOf(model: unknown): readonly unknown[] {
  return list(pick(model, 'fallbacks'))
}
