import type { Matrix } from './arena.ts'

export interface Shape {
  readonly width: number
  readonly hidden: number
  readonly layers: number
  readonly heads: number
  readonly headWidth: number
  readonly vocabulary: number
  readonly context: number
}

export interface Layer {
  readonly attentionNorm: Float32Array
  readonly query: Matrix
  readonly key: Matrix
  readonly value: Matrix
  readonly output: Matrix
  readonly feedNorm: Float32Array
  readonly gate: Matrix
  readonly down: Matrix
  readonly up: Matrix
}

export interface Checkpoint {
  readonly shape: Shape
  readonly embedding: Matrix
  readonly layers: readonly Layer[]
  readonly finalNorm: Float32Array
}

/** The layout of llama2.c: all layers of one table, then all layers of the next; views, nothing is copied. */
export function readCheckpoint(data: ArrayBuffer): Checkpoint {
  const shape = readShape(data)
  const { width, hidden, layers, vocabulary } = shape
  let offset = 7 * Int32Array.BYTES_PER_ELEMENT
  function take(length: number): Float32Array {
    const table = new Float32Array(data, offset, length)
    offset += table.byteLength
    return table
  }
  const norms = (): readonly Float32Array[] => Array.from({ length: layers }, () => take(width))
  const matrices = (rows: number, columns: number): readonly Matrix[] =>
    Array.from({ length: layers }, () => ({ weights: take(rows * columns), rows, columns }))

  const embedding = { weights: take(vocabulary * width), rows: vocabulary, columns: width }
  const attentionNorm = norms()
  const query = matrices(width, width)
  const key = matrices(width, width)
  const value = matrices(width, width)
  const output = matrices(width, width)
  const feedNorm = norms()
  const gate = matrices(hidden, width)
  const down = matrices(width, hidden)
  const up = matrices(hidden, width)
  const tables = { attentionNorm, query, key, value, output, feedNorm, gate, down, up }
  return {
    shape,
    embedding,
    layers: Array.from({ length: layers }, (_, at) => layerAt(tables, at)),
    finalNorm: take(width),
  }
}

function readShape(data: ArrayBuffer): Shape {
  const [width = 0, hidden = 0, layers = 0, heads = 1, , vocabulary = 0, context = 0] = new Int32Array(
    data,
    0,
    7,
  )
  return { width, hidden, layers, heads, headWidth: width / heads, vocabulary, context }
}

type Tables = { readonly [Name in keyof Layer]: readonly Layer[Name][] }

function layerAt(tables: Tables, at: number): Layer {
  return {
    attentionNorm: entry(tables.attentionNorm, at),
    query: entry(tables.query, at),
    key: entry(tables.key, at),
    value: entry(tables.value, at),
    output: entry(tables.output, at),
    feedNorm: entry(tables.feedNorm, at),
    gate: entry(tables.gate, at),
    down: entry(tables.down, at),
    up: entry(tables.up, at),
  }
}

function entry<Item>(items: readonly Item[], at: number): Item {
  const item = items[at]
  if (item === undefined) throw new RangeError(`the checkpoint has no layer ${at}`)
  return item
}
