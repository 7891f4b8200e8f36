/** Root-mean-square norm. */
export function normalise(input: Float32Array, scale: Float32Array, output: Float32Array): void {
  const size = input.length
  let squares = 0
  for (let at = 0; at < size; at += 1) squares += (input[at] ?? 0) ** 2
  const factor = 1 / Math.sqrt(squares / size + 1e-5)
  for (let at = 0; at < size; at += 1) output[at] = (input[at] ?? 0) * factor * (scale[at] ?? 0)
}

export function add(target: Float32Array, more: Float32Array): void {
  for (let at = 0; at < target.length; at += 1) target[at] = (target[at] ?? 0) + (more[at] ?? 0)
}

/** SwiGLU: the gate lets through what it likes. */
export function applyGate(values: Float32Array, gate: Float32Array): void {
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0
    values[at] = (value / (1 + Math.exp(-value))) * (gate[at] ?? 0)
  }
}
