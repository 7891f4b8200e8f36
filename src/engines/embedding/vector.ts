/** The mean of several vectors, each as heavy as its weight. */
export function meanVector(
  parts: readonly { readonly values: readonly number[]; readonly weight: number }[],
): number[] {
  const size = parts[0]?.values.length ?? 0
  return Array.from({ length: size }, (_, at) =>
    parts.reduce((sum, { values, weight }) => sum + (values[at] ?? 0) * weight, 0),
  )
}

/** The first `size` values, at length one again: a vector of this model loses little by it. */
export function shortened(values: readonly number[], size: number): readonly number[] {
  const kept = values.slice(0, size)
  const length = Math.hypot(...kept)
  return length === 0 ? kept : kept.map((value) => value / length)
}
