interface Link {
  readonly line: number
  readonly to: string
}

export interface Cycle {
  readonly path: string
  readonly line: number
  /** The files on the way round, the first one again at the end. */
  readonly cycle: readonly string[]
}

/** One circle for each link that closes one in a walk through all files. */
export function cyclesOf(graph: ReadonlyMap<string, readonly Link[]>): readonly Cycle[] {
  const cycles: Cycle[] = []
  const done = new Set<string>()
  const way: string[] = []
  const visit = (path: string): void => {
    if (done.has(path)) return
    way.push(path)
    for (const { line, to } of graph.get(path) ?? []) {
      const start = way.indexOf(to)
      if (start >= 0) cycles.push({ path, line, cycle: [...way.slice(start), to] })
      else visit(to)
    }
    way.pop()
    done.add(path)
  }
  for (const path of graph.keys()) visit(path)
  return cycles
}
