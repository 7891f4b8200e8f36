import type { UpstreamRight } from '../config/upstream-rights.ts'
import { Failure, type FailureOptions } from '../failure/failure.ts'
import { type Member, walkMembers } from './json-members.ts'
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

/** The failure to answer with in place of the upstream, where a body asks for more than its callers may. */
export type RefuseBody = (body: Uint8Array | string) => Failure | undefined

/**
 * The bytes of a request go on as they came, so what they name is read with our rights and not with the caller's. What is no
 * JSON to the letter is refused, because not every upstream reads it the same way; an empty body names nothing.
 */
export function refuseForeignRights(rights: GrantedRights): RefuseBody {
  const visit = visitFor(rights)
  return (body) => {
    if (body.length === 0) return undefined
    const text = typeof body === 'string' ? body : bytesOf(body).toString('latin1')
    try {
      walkMembers<Place>(text.replace(byteOrderMark, ''), 'message', visit)
      return undefined
    } catch (error) {
      return error instanceof Failure ? error : unreadable(error)
    }
  }
}

/** One byte, one character: all names that count are ASCII. */
function bytesOf(body: Uint8Array): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

/** In UTF-8, read as Latin-1, or as the character itself. */
const byteOrderMark = /^(?:\u00ef\u00bb\u00bf|\ufeff)/

function visitFor(rights: GrantedRights): (member: Member, place: Place) => Place {
  const granted: ReadonlySet<UpstreamRight> = new Set(rights.allow)
  const ownModels = ownNames(rights)

  function need(right: UpstreamRight | undefined, field: string): void {
    if (right !== undefined && !granted.has(right)) throw notAllowed(rights.name, right, field)
  }

  return ({ name, isUnset, text }, place) => {
    if (place === 'free' || isUnset) return 'free'
    if (place === 'tool') {
      need(toolRight(name), `tools.${name.slice(0, longestName)}`)
      return 'free'
    }
    const { right, isModel, inside } = fieldMeaning(name)
    need(right, name)
    if (isModel && !ownModels.has(text() ?? '')) throw otherModel(rights.name, name)
    return inside
  }
}

/** Alone, and with as much of what stands before it as a caller likes. */
function ownNames({ name, model, collection = 'models' }: GrantedRights): ReadonlySet<string> {
  const owns = [name, model].flatMap((own) => {
    const parts = `${collection}/${own}`.split('/')
    return parts.map((_, index) => parts.slice(index).join('/'))
  })
  return new Set(owns)
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
