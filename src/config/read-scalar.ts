import { type TSchema, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { isMap, isScalar, isSeq } from 'yaml'
import { interpolate, restoreReferences } from './environment.ts'
import { expectation } from './expectation.ts'
import { nearestText } from './nearest-text.ts'
import { refuse, type Spot } from './reading.ts'
import { secretMark } from './schema-parts.ts'
import { textFormats } from './text-formats.ts'

/** Reads one text, number or boolean, after the environment was put into it. */
export function readScalar(node: unknown, schema: TSchema, at: Spot): unknown {
  if (!isScalar(node) || node.value === null) {
    return refuse(at, `must be ${expectation(schema)}, not ${kindOfNode(node)}`)
  }
  if (typeof node.value !== 'string') {
    return checked({ value: node.value, isShown: isPublic(schema), hint: '' }, schema, at)
  }
  const text = interpolate(restoreReferences(node.value), at.reading.env)
  if ('complaint' in text) return refuse(at, text.complaint)
  const value = text.isWhole ? converted(text.text, schema) : text.text
  const sources = text.names.map((name) => `\${${name}}`).join(', ')
  const hint = sources === '' ? '' : ` (its value comes from ${sources})`
  return checked({ value, isShown: hint === '' && isPublic(schema), hint }, schema, at)
}

/** What a node is, in words that follow "not". */
export function kindOfNode(node: unknown): string {
  if (isMap(node)) return 'a mapping'
  if (isSeq(node)) return 'a list'
  return isScalar(node) && node.value !== null ? 'a single value' : 'empty'
}

interface Found {
  readonly value: unknown
  /** Neither a secret nor something from the environment may appear in a message. */
  readonly isShown: boolean
  readonly hint: string
}

function checked(found: Found, schema: TSchema, at: Spot): unknown {
  const { value, hint } = found
  if (!Check(schema, value)) {
    const complaint =
      value === '' ? 'must not be empty' : `must be ${expectation(schema)}${contrast(found, schema)}`
    return refuse(at, complaint + hint)
  }
  const format: unknown = Reflect.get(schema, 'format')
  const complaint =
    typeof value === 'string' && typeof format === 'string'
      ? textFormats[format]?.complaint(value)
      : undefined
  return complaint === undefined ? value : refuse(at, complaint + hint)
}

function contrast({ value, isShown }: Found, schema: TSchema): string {
  if (typeof value === 'string') {
    if (!isShown) return ''
    const meant = Type.IsEnum(schema) ? nearestText(value, schema.enum.map(String)) : undefined
    const shown = `, not the text ${JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)}`
    return meant?.isClose === true ? `${shown}; did you mean ${meant.text}?` : shown
  }
  const shown = `, not ${isShown ? `the ${typeof value} ${String(value)}` : `a ${typeof value}`}`
  return Type.IsString(schema) ? `${shown}; put it in quotes` : shown
}

function isPublic(schema: TSchema): boolean {
  return !(secretMark in schema)
}

/** A variable is always a text, so one that stands alone becomes what the schema wants. */
function converted(text: string, schema: TSchema): unknown {
  const wanted = Type.IsUnion(schema) ? schema.anyOf : [schema]
  if (wanted.some(Type.IsInteger) && /^[+-]?\d+$/.test(text)) return Number(text)
  if (wanted.some(Type.IsBoolean) && /^(?:true|false)$/.test(text)) return text === 'true'
  return text
}
