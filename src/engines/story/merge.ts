import { firstByte, type Vocabulary } from './vocabulary.ts'

/** Byte-pair merging: the neighbours with the best score join first, the left ones first among equals. */
export function mergePieces(text: string, vocabulary: Vocabulary): readonly number[] {
  const chain = createChain(characterIds(text, vocabulary))
  const queue = createQueue()
  const { texts, idOf, scores } = vocabulary

  function offer(left: number): void {
    const right = chain.next[left] ?? -1
    if (left < 0 || right < 0) return
    const a = chain.ids[left] ?? 0
    const b = chain.ids[right] ?? 0
    const merged = texts[a] === '' || texts[b] === '' ? undefined : idOf.get(`${texts[a]}${texts[b]}`)
    if (merged !== undefined) queue.push({ left, a, b, merged, score: scores[merged] ?? 0 })
  }

  for (let at = 0; at < chain.ids.length; at += 1) offer(at)
  for (let best = queue.pop(); best !== undefined; best = queue.pop()) {
    const right = chain.next[best.left] ?? -1
    if (chain.ids[best.left] !== best.a || right < 0 || chain.ids[right] !== best.b) continue
    chain.join(best.left, best.merged)
    offer(chain.previous[best.left] ?? -1)
    offer(best.left)
  }
  return chain.ids.filter((id) => id >= 0)
}

function characterIds(text: string, { idOf }: Vocabulary): number[] {
  const ids: number[] = []
  for (const character of text) {
    const id = idOf.get(character)
    if (id === undefined) for (const byte of new TextEncoder().encode(character)) ids.push(byte + firstByte)
    else ids.push(id)
  }
  return ids
}

interface Chain {
  /** -1 where a piece was joined to its left neighbour. */
  readonly ids: number[]
  readonly next: Int32Array
  readonly previous: Int32Array
  readonly join: (left: number, merged: number) => void
}

function createChain(ids: number[]): Chain {
  const next = Int32Array.from(ids, (_, at) => (at + 1 < ids.length ? at + 1 : -1))
  const previous = Int32Array.from(ids, (_, at) => at - 1)
  return {
    ids,
    next,
    previous,
    join: (left, merged) => {
      const right = next[left] ?? -1
      const after = next[right] ?? -1
      ids[left] = merged
      ids[right] = -1
      next[left] = after
      if (after >= 0) previous[after] = left
    },
  }
}

interface Merge {
  readonly left: number
  readonly a: number
  readonly b: number
  readonly merged: number
  readonly score: number
}

interface Queue {
  readonly push: (merge: Merge) => void
  readonly pop: () => Merge | undefined
}

/** A binary heap: a long word costs n log n, not n squared. */
function createQueue(): Queue {
  const heap: Merge[] = []

  function siftDown(merge: Merge): void {
    let at = 0
    for (;;) {
      const child = betterChild(heap, at)
      const candidate = heap[child]
      if (candidate === undefined || isBefore(merge, candidate)) break
      heap[at] = candidate
      at = child
    }
    heap[at] = merge
  }

  return {
    push: (merge) => {
      let at = heap.length
      while (at > 0) {
        const parent = (at - 1) >> 1
        const above = heap[parent]
        if (above === undefined || isBefore(above, merge)) break
        heap[at] = above
        at = parent
      }
      heap[at] = merge
    },
    pop: () => {
      const [best] = heap
      const last = heap.pop()
      if (last !== undefined && heap.length > 0) siftDown(last)
      return best
    },
  }
}

function betterChild(heap: readonly Merge[], at: number): number {
  const left = heap[2 * at + 1]
  const right = heap[2 * at + 2]
  return left !== undefined && right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
}

function isBefore(one: Merge, other: Merge): boolean {
  return one.score > other.score || (one.score === other.score && one.left < other.left)
}
