import { multiplyProgram } from './multiply-program.ts'

/** Memory that the multiplication can reach; all of it is made at once and never moves. */
export interface Arena {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Numbers in the part that the weights leave free. */
  readonly allocate: (length: number) => Float32Array
  /** Matrix and vectors must lie in this arena. */
  readonly multiply: (matrix: Matrix, input: Float32Array, output: Float32Array) => void
}

/** Rows of numbers that a vector is multiplied with; columns come by sixteens. */
export interface Matrix {
  readonly weights: Float32Array
  readonly rows: number
  readonly columns: number
}

const pageBytes = 65_536
const floatBytes = Float32Array.BYTES_PER_ELEMENT

export function createArena(weightBytes: number, workingBytes: number): Arena {
  const memory = new WebAssembly.Memory({ initial: Math.ceil((weightBytes + workingBytes) / pageBytes) + 1 })
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(multiplyProgram()), {
    from: { memory },
  })
  let free = Math.ceil(weightBytes / floatBytes) * floatBytes
  return {
    bytes: new Uint8Array(memory.buffer, 0, weightBytes),
    allocate: (length) => {
      const numbers = new Float32Array(memory.buffer, free, length)
      free += numbers.byteLength
      return numbers
    },
    multiply: ({ weights, rows, columns }, input, output) => {
      const start = output.byteOffset
      exports.multiply(
        weights.byteOffset,
        input.byteOffset,
        start,
        start + rows * floatBytes,
        columns * floatBytes,
      )
    },
  }
}

/** The part of the global that is used here; Node has it, its types do not. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer }
  readonly Module: new (program: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: { from: { memory: object } },
  ) => { readonly exports: { readonly multiply: (...addresses: readonly number[]) => void } }
}
