import type { UpstreamRight } from '../config/upstream-rights.ts'
import { Failure, type FailureOptions } from '../failure/failure.ts'
import type { WireCall } from './engine.ts'
import { type Member, type MemberText, walkMembers } from './json-members.ts'
import { fieldMeaning, longestName, type Place, toolRight } from './upstream-names.ts'

export interface GrantedRights {
  /** By which callers ask for it. */
  readonly name: string
  /** Its name at the upstream. */
  readonly model: string
  /** Where models are at the upstream: `models` unless given. */
  readonly collection?: string
  /** None unless given. */
  readonly allow?: readonly UpstreamRight[]
}

/** The body to send on, or the failure to answer with where it asks for more than its callers may. */
export type PrepareBody = (call: Pick<WireCall, 'body' | 'modelName'>) => WireCall['body'] | Failure

/**
 * The bytes of a request go on as they came, so what they name is read with our rights and not with the caller's. What is no
 * JSON to the letter is refused, because not every upstream reads it the same way; an empty body names nothing. Only a model
 * that is named as callers do gets the name that the upstream has for it.
 */
export function prepareBodies(rights: GrantedRights): PrepareBody {
  const { name, model, collection = 'models' } = rights
  const upstreamName = Buffer.from(JSON.stringify(`${collection}/${model}`))
  return ({ body, modelName = name }) => {
    if (body.length === 0) return body
    const bytes = bytesOf(body)
    const text = bytes.toString('latin1')
    const json = text.replace(byteOrderMark, '')
    const renamed: MemberText[] = []
    try {
      walkMembers<Place>(json, 'message', visitFor(rights, modelName, renamed))
    } catch (error) {
      return error instanceof Failure ? error : unreadable(error)
    }
    if (renamed.length === 0) return body
    return withTexts(bytes.subarray(text.length - json.length), renamed, upstreamName)
  }
}

/** Read as Latin-1, one byte is one character: all names that count are ASCII. */
function bytesOf(body: Uint8Array | string): Buffer {
  if (typeof body === 'string') return Buffer.from(body)
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

/** In UTF-8, read as Latin-1. */
const byteOrderMark = /^\u00ef\u00bb\u00bf/

type VisitMember = (member: Member, place: Place) => Place

/** Tells `renamed` of each model that is not named as the upstream does. */
function visitFor(rights: GrantedRights, modelName: string, renamed: MemberText[]): VisitMember {
  function need(right: UpstreamRight | undefined, field: string): void {
    if (right !== undefined && rights.allow?.includes(right) !== true)
      throw notAllowed(rights.name, right, field)
  }

  function takeModel(text: MemberText | undefined, field: string): void {
    const { name, model, collection = 'models' } = rights
    const isNamed = (own: string): boolean => `/${collection}/${own}`.endsWith(`/${text?.meant}`)
    if (text === undefined || ![model, name, modelName].some(isNamed)) throw otherModel(modelName, field)
    if (!isNamed(model)) renamed.push(text)
  }

  return ({ name, isUnset, text }, place) => {
    if (place === 'free' || isUnset) return 'free'
    if (place === 'tool') {
      need(toolRight(name), `tools.${name.slice(0, longestName)}`)
      return 'free'
    }
    const { right, isModel, inside } = fieldMeaning(name)
    need(right, name)
    if (isModel) takeModel(text(), name)
    return inside
  }
}

function withTexts(bytes: Buffer, places: readonly MemberText[], text: Buffer): Buffer {
  const pieces: Buffer[] = []
  let done = 0
  for (const { start, end } of places) {
    pieces.push(bytes.subarray(done, start), text)
    done = end
  }
  return Buffer.concat([...pieces, bytes.subarray(done)])
}

function notAllowed(model: string, right: UpstreamRight, field: string): Failure {
  return new Failure(
    'forbidden',
    `${field} is not allowed for the model ${model}, because the upstream would act on it with the credential of the gateway; leave it out, or have the operator set "allow: [${right}]" for this model`,
    { reason: 'upstream_right', field },
  )
}

function otherModel(model: string, field: string): Failure {
  return invalid(`${field} must be the model of the path, models/${model}; or leave it out`, { field })
}

function unreadable(cause: unknown): Failure {
  const why = cause instanceof Error ? ` ${cause.message}` : ''
  return invalid(`Invalid JSON payload received.${why}`, { cause })
}

function invalid(message: string, more: Pick<FailureOptions, 'cause' | 'field'>): Failure {
  return new Failure('invalid-request', message, {
    ...more,
    reason: 'invalid_argument',
    recovery: 'fix_request',
  })
}
