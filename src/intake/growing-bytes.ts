/**
 * Bytes that come in pieces, held in one: a piece of a single byte takes two hundred, and a sender may cut as it likes. What
 * comes in one piece is kept as it is.
 */
export class GrowingBytes {
  readonly #most: number
  readonly #announced: number
  /** Written to only beyond the first piece, which belongs to somebody else. */
  #room: Buffer = nothing
  #length = 0

  /** Room is made for what is `announced`, else for twice what has come, and not beyond `most` unless more comes. */
  constructor(most: number, announced = 0) {
    this.#most = most
    this.#announced = announced
  }

  get length(): number {
    return this.#length
  }

  append(piece: Buffer): void {
    const length = this.#length + piece.length
    if (this.#length === 0) this.#room = piece
    else {
      if (length > this.#room.length) this.#room = this.#copyWithRoomFor(length)
      piece.copy(this.#room, this.#length)
    }
    this.#length = length
  }

  /** Stays as it is when more is appended. */
  all(): Buffer {
    return this.#length === this.#room.length ? this.#room : this.#room.subarray(0, this.#length)
  }

  /** Whoever has been given the bytes keeps them. */
  clear(): void {
    this.#room = nothing
    this.#length = 0
  }

  #copyWithRoomFor(length: number): Buffer {
    const wanted = Math.min(this.#most, Math.max(this.#announced, 2 * length))
    const room = Buffer.allocUnsafe(Math.max(length, wanted))
    this.#room.copy(room, 0, 0, this.#length)
    return room
  }
}

const nothing = Buffer.alloc(0)
