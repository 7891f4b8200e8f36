import { isObject, type Kind, messageType } from './json-kinds.ts'
import { deepest, excerpt, invalidValue, type Reading, tooDeep, unknownName } from './json-reading.ts'

/** What the fields are, by their camelCase names. */
export type Fields = Readonly<Record<string, Kind<unknown>>>

export type MessageOf<F extends Fields> = {
  readonly [Name in keyof F]?: F[Name] extends Kind<infer T> ? T : never
}

/** Fields of which at most one may be set. */
export interface OneOf {
  readonly name: string
  readonly fields: readonly string[]
}

interface Field {
  readonly name: string
  readonly wire: string
  readonly kind: Kind<unknown>
  readonly isInOneOf: boolean
}

/** Names are taken in camelCase and in snake_case, `null` is the same as absent, an unknown name is a violation. */
export function message<F extends Fields>(name: string, fields: F, oneOf?: OneOf): Kind<MessageOf<F>> {
  const type = messageType(name)
  const known = knownNames(fields, oneOf)
  return {
    type,
    takesList: false,
    read: (value, reading) => {
      if (!isObject(value)) {
        invalidValue(reading, type, excerpt(value))
        return undefined
      }
      if (reading.path.length >= deepest) {
        tooDeep(reading)
        return undefined
      }
      const found = readFields(value, reading, { known, oneOf })
      return isMessageOf<F>(found) ? found : undefined
    },
  }
}

/** A repeated field; a single value stands for a list of one, as in the API's own examples. */
export function list<T>(kind: Kind<T>): Kind<readonly T[]> {
  return {
    type: kind.type,
    takesList: true,
    read: (value, reading) => {
      if (!Array.isArray(value)) {
        const only = kind.read(value, reading)
        return only === undefined ? undefined : [only]
      }
      const found: T[] = []
      for (let index = 0; index < value.length; index += 1) {
        reading.path.push(index)
        const item = kind.read(value[index], reading)
        reading.path.pop()
        if (item !== undefined) found.push(item)
      }
      return found
    },
  }
}

/** A map with text as its keys; violations count its entries, as protobuf does. */
export function mapOf<T>(kind: Kind<T>): Kind<Readonly<Record<string, T>>> {
  return {
    type: kind.type,
    takesList: false,
    read: (value, reading) => {
      if (!isObject(value)) {
        invalidValue(reading, 'Map', excerpt(value))
        return undefined
      }
      const entries: [string, T][] = []
      for (const [index, [key, held]] of Object.entries(value).entries()) {
        reading.path.push(index, 'value')
        const read = kind.read(held, reading)
        reading.path.length -= 2
        if (read !== undefined) entries.push([key, read])
      }
      return Object.fromEntries(entries)
    },
  }
}

/** For a message that holds itself. */
export function later<T>(kind: () => Kind<T>, name: string): Kind<T> {
  return {
    type: messageType(name),
    takesList: false,
    read: (value, reading) => kind().read(value, reading),
  }
}

function knownNames(fields: Fields, oneOf: OneOf | undefined): ReadonlyMap<string, Field> {
  const known = new Map<string, Field>()
  for (const [name, kind] of Object.entries(fields)) {
    const wire = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const field = { name, wire, kind, isInOneOf: oneOf?.fields.includes(name) ?? false }
    known.set(name, field)
    known.set(wire, field)
  }
  return known
}

interface Description {
  readonly known: ReadonlyMap<string, Field>
  readonly oneOf: OneOf | undefined
}

function readFields(
  value: Readonly<Record<string, unknown>>,
  reading: Reading,
  { known, oneOf }: Description,
): object {
  const found: Record<string, unknown> = {}
  let chosen = false
  for (const name of Object.keys(value)) {
    const field = known.get(name)
    const held = value[name]
    if (field === undefined) unknownName(reading, name)
    else if (held === null || held === undefined) continue
    else if (field.name in found) unknownName(reading, name, `Field '${field.wire}' is already set.`)
    else if (field.isInOneOf && chosen)
      invalidValue(
        reading,
        'oneof',
        `oneof field '${oneOf?.name ?? ''}' is already set. Cannot set '${name}'`,
      )
    else {
      chosen ||= field.isInOneOf
      found[field.name] = readField(field, held, { reading, name })
    }
  }
  return found
}

interface Place {
  readonly reading: Reading
  /** As the caller wrote it. */
  readonly name: string
}

function readField({ kind, wire }: Field, held: unknown, { reading, name }: Place): unknown {
  if (!kind.takesList && Array.isArray(held)) {
    unknownName(reading, name, 'Proto field is not repeating, cannot start list.')
    return undefined
  }
  reading.path.push(wire)
  const read = kind.read(held, reading)
  reading.path.pop()
  return read
}

/** Each field was read by its own kind, and after a violation nobody uses the rest. */
function isMessageOf<F extends Fields>(found: object): found is MessageOf<F> {
  return typeof found === 'object'
}
