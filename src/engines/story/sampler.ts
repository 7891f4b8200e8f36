export interface SamplingRules {
  /** 0 takes the best token always. */
  readonly temperature: number
  readonly topP: number
  /** 0 sets no bound. */
  readonly topK: number
  readonly presencePenalty: number
  readonly frequencyPenalty: number
}

export interface Draw {
  readonly rules: SamplingRules
  readonly random: () => number
  /** How often each token was written before. */
  readonly written: ReadonlyMap<number, number>
  readonly isAllowed?: ((token: number) => boolean) | undefined
}

export type Sampler = (logits: Float32Array, draw: Draw) => number

/** Temperature, then the topK best, then the best that hold topP of what is left, then chance. */
export function createSampler(size: number): Sampler {
  const weights = new Float32Array(size)
  const order = createOrder(size)
  return (logits, draw) => {
    const best = weigh(logits, weights, draw)
    const { temperature, topP, topK } = draw.rules
    if (temperature === 0 || best < 0) return best
    const total = soften(weights, weights[best] ?? 0, temperature)
    if (topP >= 1 && topK === 0) return pickAmongAll(weights, draw.random() * total)
    return pickAmongBest(order(weights, total, draw.rules), draw)
  }
}

/** Copies what is allowed, less its penalties, and answers the best token; -1 if nothing is allowed. */
function weigh(logits: Float32Array, weights: Float32Array, { rules, written, isAllowed }: Draw): number {
  weights.set(logits)
  for (const [token, count] of written)
    weights[token] = (weights[token] ?? 0) - rules.presencePenalty - rules.frequencyPenalty * count
  let best = -1
  for (let token = 0; token < weights.length; token += 1) {
    if (isAllowed !== undefined && !isAllowed(token)) weights[token] = Number.NEGATIVE_INFINITY
    else if (best < 0 || (weights[token] ?? 0) > (weights[best] ?? 0)) best = token
  }
  return best
}

function soften(weights: Float32Array, highest: number, temperature: number): number {
  let total = 0
  for (let token = 0; token < weights.length; token += 1) {
    const weight = Math.exp(((weights[token] ?? 0) - highest) / temperature)
    weights[token] = weight
    total += weight
  }
  return total
}

function pickAmongAll(weights: Float32Array, mark: number): number {
  let sum = 0
  let last = 0
  for (let token = 0; token < weights.length; token += 1) {
    const weight = weights[token] ?? 0
    if (weight === 0) continue
    sum += weight
    last = token
    if (sum > mark) return token
  }
  return last
}

interface Ordered {
  /** Ascending; each holds a weight's bits above the token's number. */
  readonly keys: Float64Array
  /** All that topP is a share of. */
  readonly total: number
}

type Order = (weights: Float32Array, total: number, rules: SamplingRules) => Ordered

const tokenSpan = 65_536
const bits = new Uint32Array(1)
const float = new Float32Array(bits.buffer)

/** Sorts only the tokens that can count: the floor sinks until enough of them are in. */
function createOrder(size: number): Order {
  const keys = new Float64Array(size)
  return (weights, total, { topP, topK }) => {
    for (let floor = 2 ** -10; ; floor *= 2 ** -20) {
      let count = 0
      let sum = 0
      for (let token = 0; token < size; token += 1) {
        const weight = weights[token] ?? 0
        if (weight < floor || weight === 0) continue
        sum += weight
        keys[count] = keyOf(weight, token)
        count += 1
      }
      const isEnough = topK === 0 ? sum >= topP * total : count >= topK
      if (!isEnough && floor > 2 ** -150) continue
      const sorted = keys.subarray(0, count).sort()
      return topK === 0 ? { keys: sorted, total } : bestOf(sorted, topK)
    }
  }
}

function bestOf(sorted: Float64Array, limit: number): Ordered {
  const keys = sorted.subarray(Math.max(0, sorted.length - limit))
  return { keys, total: keys.reduce((sum, key) => sum + weightOf(key), 0) }
}

/** Positive floats sort like their bits; among equals the lower token comes later, that is first from the end. */
function keyOf(weight: number, token: number): number {
  float[0] = weight
  return (bits[0] ?? 0) * tokenSpan + (tokenSpan - 1 - token)
}

function pickAmongBest({ keys, total }: Ordered, { rules, random }: Draw): number {
  let held = 0
  let last = keys.length
  while (last > 0 && (held === 0 || held < rules.topP * total)) {
    last -= 1
    held += weightOf(keys[last] ?? 0)
  }
  let mark = random() * held
  for (let at = keys.length - 1; at > last; at -= 1) {
    mark -= weightOf(keys[at] ?? 0)
    if (mark < 0) return tokenOf(keys[at] ?? 0)
  }
  return tokenOf(keys[last] ?? 0)
}

function weightOf(key: number): number {
  bits[0] = Math.floor(key / tokenSpan)
  return float[0] ?? 0
}

function tokenOf(key: number): number {
  return tokenSpan - 1 - (key % tokenSpan)
}
