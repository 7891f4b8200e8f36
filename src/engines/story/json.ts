import type { PropertyNode, SchemaNode } from './schema-node.ts'
import { type Desk, type Script, writeChoice } from './script.ts'

type NodeOf<Kind extends SchemaNode['kind']> = Extract<SchemaNode, { kind: Kind }>

/** A desk, and what must still fit after the value that is being written. */
interface Place extends Desk {
  readonly owed: number
}

/** Keeps one talkative string from eating the room of all others. */
const longestString = 32
/** No piece of the vocabulary is longer. */
const longestWord = 16

/** Writes a value of the schema: the form is given, the model fills in what it leaves open. */
export function* writeJson(node: SchemaNode, place: Place): Script {
  if (node.kind === 'object') yield* writeObject(node, place)
  else if (node.kind === 'array') yield* writeArray(node, place)
  else if (node.kind === 'string') yield* writeString(node, place)
  else if (node.kind === 'number') yield* writeNumber(node, place)
  else yield* writeChoice(node.texts, place)
}

/** Properties that need not be there are left out when the room is short. */
function* writeObject({ properties }: NodeOf<'object'>, place: Place): Script {
  yield* writeForm('{', place)
  let separator = ''
  for (const [at, property] of properties.entries()) {
    const owed = place.owed + 1 + requiredCost(properties.slice(at + 1), place)
    if (!property.isRequired && place.left() < owed + 2 * memberCost(property, place)) continue
    yield* writeForm(`${separator}${JSON.stringify(property.name)}: `, place)
    yield* writeJson(property.node, { ...place, owed })
    separator = ', '
  }
  yield* writeForm('}', place)
}

function* writeArray({ items, least, most }: NodeOf<'array'>, place: Place): Script {
  const cost = leastCost(items, place) + 1
  yield* writeForm('[', place)
  for (let count = 0; count < most; count += 1) {
    const owed = place.owed + 1 + Math.max(0, least - count - 1) * cost
    if (count >= least && place.left() < owed + 2 * cost) break
    if (count >= Math.max(least, 1) && (yield* writeChoiceOfEnd(place))) break
    if (count > 0) yield* writeForm(', ', place)
    yield* writeJson(items, { ...place, owed })
  }
  yield* writeForm(']', place)
}

/** Asks the model whether the list is over. */
function* writeChoiceOfEnd({ roles }: Place): Script<boolean> {
  const isAllowed = (id: number): boolean => id === roles.comma || id === roles.bracket
  return (yield { kind: 'pick', isAllowed }) === roles.bracket
}

function* writeString({ least, most }: NodeOf<'string'>, place: Place): Script {
  const { inString, isQuote } = place.roles
  yield* writeForm('"', place)
  let length = yield* writeFirstWord(most, place)
  for (let count = 0; length < most; count += 1) {
    const mayEnd = length >= least
    if (mayEnd && (count >= longestString || place.left() <= place.owed + 1)) break
    const isAllowed = (id: number): boolean => {
      if (isQuote[id] === 1) return mayEnd
      const size = inString[id] ?? 0
      return size > 0 && size <= most - length
    }
    const token = yield { kind: 'pick', isAllowed }
    if (isQuote[token] === 1) break
    yield { kind: 'put', tokens: [token] }
    length += inString[token] ?? 0
  }
  yield* writeForm('"', place)
}

/** A string begins with a whole word, where there is room for one, and without the space before it. */
function* writeFirstWord(most: number, place: Place): Script<number> {
  const { inString, isSpaced, texts } = place.roles
  if (most < longestWord || place.left() < place.owed + longestWord) return 0
  const token = yield { kind: 'pick', isAllowed: (id) => isSpaced[id] === 1 && (inString[id] ?? 0) > 0 }
  yield* writeForm((texts[token] ?? '').slice(1), place)
  return (inString[token] ?? 1) - 1
}

/** A digit is allowed if some number within the bounds begins so. */
function* writeNumber({ isInteger, least, most }: NodeOf<'number'>, place: Place): Script {
  const { digit, isEnd, point } = place.roles
  const bounds = most < 0 ? ([-most, -least] as const) : ([least, most] as const)
  if (most < 0) yield* writeForm('-', place)
  let value = -1
  for (;;) {
    const isDone = value >= bounds[0]
    if (isDone && place.left() <= place.owed) return
    const mayHavePoint = !isInteger && isDone && value + 1 <= bounds[1] && place.left() > place.owed + 1
    const isAllowed = (id: number): boolean => {
      const next = digit[id] ?? 10
      if (next < 10) return leadsInto(value, next, bounds)
      return (isDone && isEnd[id] === 1) || (mayHavePoint && id === point)
    }
    const token = yield { kind: 'pick', isAllowed }
    if (token === point) yield* writeFraction(place)
    const next = digit[token] ?? 10
    if (next === 10) return
    yield { kind: 'put', tokens: [token] }
    value = Math.max(value, 0) * 10 + next
  }
}

function* writeFraction(place: Place): Script {
  const { digit, isEnd, point } = place.roles
  yield { kind: 'put', tokens: [point] }
  for (let count = 0; count < 2 && (count === 0 || place.left() > place.owed); count += 1) {
    const isAllowed = (id: number): boolean => digit[id] !== 10 || (count > 0 && isEnd[id] === 1)
    const token = yield { kind: 'pick', isAllowed }
    if (digit[token] === 10) return
    yield { kind: 'put', tokens: [token] }
  }
}

function leadsInto(value: number, digit: number, [low, high]: readonly [number, number]): boolean {
  if (value === 0) return false
  let from = Math.max(value, 0) * 10 + digit
  let to = from
  if (from === 0) return low === 0
  while (from <= high) {
    if (to >= low) return true
    from *= 10
    to = to * 10 + 9
  }
  return false
}

function* writeForm(text: string, { encode }: Desk): Script {
  yield { kind: 'put', tokens: encode(text) }
}

/** The tokens that the shortest value takes. */
function leastCost(node: SchemaNode, desk: Desk): number {
  if (node.kind === 'string') return 2 + node.least
  if (node.kind === 'number') return String(Math.max(Math.abs(node.least), Math.abs(node.most))).length + 1
  if (node.kind === 'choice')
    return node.texts.reduce((most, text) => Math.max(most, desk.encode(text).length), 0)
  if (node.kind === 'array') return 2 + node.least * (leastCost(node.items, desk) + 1)
  return 2 + requiredCost(node.properties, desk)
}

function requiredCost(properties: readonly PropertyNode[], desk: Desk): number {
  return properties.reduce((sum, property) => sum + (property.isRequired ? memberCost(property, desk) : 0), 0)
}

const memberCosts = new WeakMap<PropertyNode, number>()

/** Remembered, because each property asks for all that follow it. */
function memberCost(property: PropertyNode, desk: Desk): number {
  const known = memberCosts.get(property)
  if (known !== undefined) return known
  const cost = desk.encode(`, ${JSON.stringify(property.name)}: `).length + leastCost(property.node, desk)
  memberCosts.set(property, cost)
  return cost
}
