/** What is wrong between keys; the complaint completes a sentence that starts with the path. */
export interface Complaint {
  readonly path: string
  readonly complaint: string
}

/** A value and where it stands. */
export type Cell = readonly [path: string, value: unknown]

/** The value below these keys, as far as there is one: the file may have been refused in part. */
export function pick(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => {
    return typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
      ? Reflect.get(inner, key)
      : undefined
  }, value)
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** One key of every item of a list. */
export function column(parent: unknown, name: string, key: string): Cell[] {
  return list(pick(parent, name)).map((item, index) => [`${name}[${index}].${key}`, pick(item, key)])
}

/** A complaint about every text that stands further up as well. */
export function repeated(cells: readonly Cell[], prefix = ''): Complaint[] {
  const first = new Map<string, string>()
  return cells.flatMap(([path, value]) => {
    if (typeof value !== 'string') return []
    const earlier = first.get(value)
    if (earlier === undefined) first.set(value, path)
    return earlier === undefined
      ? []
      : [{ path: prefix + path, complaint: `must be unique, and ${prefix}${earlier} is the same` }]
  })
}
