import type { Engine } from '../engines/engine.ts'
import { matchesName } from './name-pattern.ts'

/** A model that can be called, with those that stand in for it when it fails. */
export interface ServedModel {
  readonly name: string
  readonly engine: Engine
  /** In the order they are tried. */
  readonly fallbacks: readonly Engine[]
}

export interface ModelTable {
  /** By its own name first, then by the alias that says most. */
  readonly find: (name: string) => ServedModel | undefined
  /** In the order of their names. */
  readonly all: readonly ServedModel[]
}

export function createModelTable(
  models: readonly ServedModel[],
  aliases: Readonly<Record<string, string>>,
): ModelTable {
  const byName = new Map(models.map((model) => [model.name, model]))
  const patterns = Object.entries(aliases).toSorted(([left], [right]) => meaning(right) - meaning(left))
  const found = new Map<string, ServedModel | undefined>()

  function findByAlias(name: string): ServedModel | undefined {
    const alias = patterns.find(([pattern]) => matchesName(pattern, name))
    return alias === undefined ? undefined : byName.get(alias[1])
  }

  return {
    all: models.toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    find: (name) => {
      const own = byName.get(name)
      if (own !== undefined || found.has(name)) return own ?? found.get(name)
      const model = findByAlias(name)
      if (found.size >= mostRemembered) found.clear()
      found.set(name, model)
      return model
    },
  }
}

/** Callers choose the names, so they are not remembered without end. */
const mostRemembered = 1000

/** The longer the text around `*`, the more it says; without `*` it says everything. */
function meaning(pattern: string): number {
  return pattern.includes('*') ? pattern.length : Infinity
}
