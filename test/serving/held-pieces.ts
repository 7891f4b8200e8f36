import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Pieces of one byte, to be seen who still holds them. */
export class HeldPieces {
  readonly #made: WeakRef<Buffer>[] = []

  make(): Buffer {
    const piece = Buffer.from('x')
    this.#made.push(new WeakRef(piece))
    return piece
  }

  /** How many are held by anybody. */
  async count(): Promise<number> {
    // What was made or looked at in one turn is kept until its end.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    return this.#made.filter((piece) => piece.deref() !== undefined).length
  }
}
