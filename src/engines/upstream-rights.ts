import { Failure } from '../failure/failure.ts'
import { type Member, walkMembers } from './json-members.ts'

/** What a request can have an upstream do with the credential of the gateway, besides answering. */
export type UpstreamRight =
  | 'files'
  | 'caches'
  | 'search'
  | 'retrieval'
  | 'urlContext'
  | 'codeExecution'
  | 'otherTools'

export interface GrantedRights {
  /** For messages: the name of the model. */
  readonly name: string
  /** None unless given. */
  readonly allow?: readonly UpstreamRight[]
}

/** The failure to answer with in place of the upstream, where a body asks for more than its callers may. */
export type RefuseBody = (body: Uint8Array | string) => Failure | undefined

/**
 * The bytes of a request go on as they came, so what they name is read with our rights and not with the caller's. Most bodies
 * have none of the words and are not looked at any closer.
 */
export function refuseForeignRights({ name, allow = [] }: GrantedRights): RefuseBody {
  const granted: ReadonlySet<UpstreamRight> = new Set(allow)
  return (body) => {
    const text = typeof body === 'string' ? body : bytesOf(body).toString('latin1')
    if (!mayAsk.test(text) && !mayHide.test(text)) return undefined
    try {
      walkMembers<Place>(text.replace(byteOrderMark, ''), 'message', (member, place) =>
        enter(member, place, (right, field) => {
          if (!granted.has(right)) throw notAllowed(name, right, field)
        }),
      )
      return undefined
    } catch (error) {
      return error instanceof Failure ? error : unreadable(error)
    }
  }
}

/** One byte, one character: all names that count are ASCII. */
function bytesOf(body: Uint8Array): Buffer {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

/** In UTF-8, read as Latin-1, or as the character itself. */
const byteOrderMark = /^(?:\u00ef\u00bb\u00bf|\ufeff)/

/** In any case: not every server that speaks this wire is as strict about it as Google's. */
const mayAsk = /file_?data|gcs_?uri|cached_?content|tools/i

/** A name can be spelled with escapes, also with some that only lenient readers take, or in an encoding of two bytes. */
const mayHide = /\\[^"\\/bfnrt]|\0/

type Place = 'message' | 'tool' | 'free'

type Need = (right: UpstreamRight, field: string) => void

function enter({ name, isUnset }: Member, place: Place, need: Need): Place {
  if (place === 'free' || isUnset) return 'free'
  const field = name.replaceAll('_', '').toLowerCase()
  if (place === 'tool') {
    if (!ownTools.has(field)) need(tools.get(field) ?? 'otherTools', `tools.${name.slice(0, longestName)}`)
    return 'free'
  }
  if (field === 'tools') return 'tool'
  const right = fields.get(field)
  if (right !== undefined) need(right, name)
  return freeForm.has(field) ? 'free' : 'message'
}

/** A caller may send megabytes where a name belongs. */
const longestName = 64

/** Names in lower case and without `_`, as both spellings come out alike then. */
const fields: ReadonlyMap<string, UpstreamRight> = new Map([
  ['filedata', 'files'],
  ['gcsuri', 'files'],
  ['cachedcontent', 'caches'],
])

const tools: ReadonlyMap<string, UpstreamRight> = new Map([
  ['googlesearch', 'search'],
  ['googlesearchretrieval', 'search'],
  ['enterprisewebsearch', 'search'],
  ['googlemaps', 'search'],
  ['exaaisearch', 'search'],
  ['parallelaisearch', 'search'],
  ['retrieval', 'retrieval'],
  ['filesearch', 'retrieval'],
  ['urlcontext', 'urlContext'],
  ['codeexecution', 'codeExecution'],
])

/** The caller itself runs what the model asks for. */
const ownTools: ReadonlySet<string> = new Set(['functiondeclarations', 'computeruse'])

/** Values of the caller's own, in which a name means nothing to the upstream. */
const freeForm: ReadonlySet<string> = new Set([
  'args',
  'response',
  'responseschema',
  'responsejsonschema',
  'responseformat',
  'partmetadata',
  'labels',
])

function notAllowed(model: string, right: UpstreamRight, field: string): Failure {
  return new Failure(
    'forbidden',
    `${field} is not allowed for the model ${model}, because the upstream would act on it with the credential of the gateway; leave it out, or have the operator set "allow: [${right}]" for this model`,
    { reason: 'upstream_right', field },
  )
}

function unreadable(cause: unknown): Failure {
  const why = cause instanceof Error ? ` ${cause.message}` : ''
  return new Failure('invalid-request', `Invalid JSON payload received.${why}`, {
    cause,
    reason: 'invalid_argument',
    recovery: 'fix_request',
  })
}
