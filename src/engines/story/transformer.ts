import type { Arena } from './arena.ts'
import type { Checkpoint, Layer, Shape } from './checkpoint.ts'
import { add, applyGate, normalise } from './kernel.ts'

/** What one generation remembers of the tokens it has read: per layer and place a key and a value. */
export interface Cache {
  readonly keys: Float32Array
  readonly values: Float32Array
}

export interface Transformer {
  readonly createCache: () => Cache
  /** Reads one token at its place in the text; everything before it must be in the cache. */
  readonly read: (cache: Cache, token: number, place: number) => void
  /** How well each token would follow the one read last; the next call overwrites it. */
  readonly rate: () => Float32Array
}

/** All working memory is made here, once: reading a token allocates nothing. */
export function createTransformer(checkpoint: Checkpoint, arena: Arena): Transformer {
  const { shape, embedding, layers, finalNorm } = checkpoint
  const { allocate, multiply } = arena
  const { width, vocabulary, context } = shape
  const state = new Float32Array(width)
  const logits = allocate(vocabulary)
  const normed = allocate(width)
  const attend = createAttention(shape, arena)
  const feed = createFeedForward(shape, arena)
  const cacheSize = layers.length * context * width
  return {
    createCache: () => ({ keys: new Float32Array(cacheSize), values: new Float32Array(cacheSize) }),
    read: (cache, token, place) => {
      state.set(embedding.weights.subarray(token * width, (token + 1) * width))
      layers.forEach((layer, depth) => {
        attend(state, layer, { cache, start: depth * context * width, place })
        feed(state, layer)
      })
    },
    rate: () => {
      normalise(state, finalNorm, normed)
      multiply(embedding, normed, logits)
      return logits
    },
  }
}

interface Place {
  readonly cache: Cache
  /** Where the layer begins in the cache. */
  readonly start: number
  readonly place: number
}

type Attention = (state: Float32Array, layer: Layer, where: Place) => void

function createAttention(shape: Shape, { allocate, multiply }: Arena): Attention {
  const { width, heads, headWidth } = shape
  const normed = allocate(width)
  const query = allocate(width)
  const key = allocate(width)
  const value = allocate(width)
  const mixed = allocate(width)
  const result = allocate(width)
  const turn = createTurn(shape)
  const mixHead = createHeadMix(shape)
  return (state, layer, where) => {
    const { cache, start, place } = where
    const at = start + place * width
    normalise(state, layer.attentionNorm, normed)
    multiply(layer.query, normed, query)
    multiply(layer.key, normed, key)
    multiply(layer.value, normed, value)
    turn(query, place)
    turn(key, place)
    cache.keys.set(key, at)
    cache.values.set(value, at)
    for (let head = 0; head < heads; head += 1) mixHead(query, mixed, { ...where, first: head * headWidth })
    multiply(layer.output, mixed, result)
    add(state, result)
  }
}

/** Softmax over how the query meets every key so far, then the values in that proportion. */
function createHeadMix({
  width,
  headWidth,
  context,
}: Shape): (query: Float32Array, mixed: Float32Array, where: Place & { readonly first: number }) => void {
  const weights = new Float32Array(context)
  const scale = 1 / Math.sqrt(headWidth)
  return (query, mixed, { cache, start, place, first }) => {
    let highest = Number.NEGATIVE_INFINITY
    for (let past = 0; past <= place; past += 1) {
      const at = start + past * width + first
      let sum = 0
      for (let i = 0; i < headWidth; i += 1) sum += (query[first + i] ?? 0) * (cache.keys[at + i] ?? 0)
      weights[past] = sum * scale
      if (sum * scale > highest) highest = sum * scale
    }
    let total = 0
    for (let past = 0; past <= place; past += 1) {
      const weight = Math.exp((weights[past] ?? 0) - highest)
      weights[past] = weight
      total += weight
    }
    mixed.fill(0, first, first + headWidth)
    for (let past = 0; past <= place; past += 1) {
      const at = start + past * width + first
      const weight = (weights[past] ?? 0) / total
      for (let i = 0; i < headWidth; i += 1)
        mixed[first + i] = (mixed[first + i] ?? 0) + weight * (cache.values[at + i] ?? 0)
    }
  }
}

/** Rotary places: each pair of numbers is turned by an angle that grows with the place. */
function createTurn({ headWidth, context }: Shape): (vector: Float32Array, place: number) => void {
  const pairs = headWidth / 2
  const angle = (at: number): number => Math.floor(at / pairs) / 10_000 ** (((at % pairs) * 2) / headWidth)
  const cosines = Float32Array.from({ length: context * pairs }, (_, at) => Math.cos(angle(at)))
  const sines = Float32Array.from({ length: context * pairs }, (_, at) => Math.sin(angle(at)))
  return (vector, place) => {
    for (let i = 0; i < vector.length; i += 2) {
      const at = place * pairs + ((i % headWidth) >> 1)
      const cosine = cosines[at] ?? 0
      const sine = sines[at] ?? 0
      const a = vector[i] ?? 0
      const b = vector[i + 1] ?? 0
      vector[i] = a * cosine - b * sine
      vector[i + 1] = a * sine + b * cosine
    }
  }
}

type FeedForward = (state: Float32Array, layer: Layer) => void

function createFeedForward({ width, hidden }: Shape, { allocate, multiply }: Arena): FeedForward {
  const normed = allocate(width)
  const inner = allocate(hidden)
  const gate = allocate(hidden)
  const result = allocate(width)
  return (state, layer) => {
    normalise(state, layer.feedNorm, normed)
    multiply(layer.gate, normed, inner)
    multiply(layer.up, normed, gate)
    applyGate(inner, gate)
    multiply(layer.down, inner, result)
    add(state, result)
  }
}
