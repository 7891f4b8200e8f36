import type { UpstreamRight } from '../config/upstream-rights.ts'

/** Where a member stands: in a message of the API, in a tool, or in a value of the caller's own. */
export type Place = 'message' | 'tool' | 'free'

export interface FieldMeaning {
  /** What it needs. */
  readonly right: UpstreamRight | undefined
  /** It names a model. */
  readonly isModel: boolean
  /** Where the members of its value stand. */
  readonly inside: Place
}

/** Names that are longer mean nothing: this is enough for all below, also with `_` between the letters. */
export const longestName = 64

/** For a name in a message; most mean nothing. */
export function fieldMeaning(name: string): FieldMeaning {
  // Tells most names of most requests by two of their letters: to read each would take as long as the whole walk.
  if (pairs[pairOf(name)] === 0 || name.length > longestName) return nothing
  const field = plain(name)
  return {
    right: field.endsWith(gcsUri) ? 'files' : fields.get(field),
    isModel: field === 'model',
    inside: insides.get(field) ?? 'message',
  }
}

/** What a tool of that name needs. */
export function toolRight(name: string): UpstreamRight | undefined {
  if (name.length > longestName) return 'otherTools'
  const tool = plain(name)
  return ownTools.has(tool) ? undefined : (tools.get(tool) ?? 'otherTools')
}

/** Lower or upper case, with `_` or without: not every server that speaks this wire is as strict about it as Google's. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

const gcsUri = 'gcsuri'

const nothing: FieldMeaning = { right: undefined, isModel: false, inside: 'message' }

const fields: ReadonlyMap<string, UpstreamRight> = new Map([
  ['filedata', 'files'],
  ['outputuriprefix', 'files'],
  ['cachedcontent', 'caches'],
  ['routingconfig', 'otherModels'],
  ['modelselectionconfig', 'otherModels'],
  // What the official clients make of it for Vertex AI.
  ['modelconfig', 'otherModels'],
  ['modelarmorconfig', 'modelArmor'],
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

/** In values of the caller's own a name means nothing to the upstream. */
const insides: ReadonlyMap<string, Place> = new Map([
  ['tools', 'tool'],
  ['args', 'free'],
  ['response', 'free'],
  ['responseschema', 'free'],
  ['responsejsonschema', 'free'],
  ['responseformat', 'free'],
  ['partmetadata', 'free'],
  ['labels', 'free'],
])

/** Whether a first and a last letter, each as five bits, can be those of a field that means something. */
const pairs: Uint8Array = markPairs()

function markPairs(): Uint8Array {
  const marks = new Uint8Array(1024)
  for (const field of [...fields.keys(), ...insides.keys(), 'model']) marks[pairOf(field)] = 1
  for (let code = 96; code < 128; code += 1) {
    const letter = String.fromCharCode(code)
    for (const open of [`${letter}${gcsUri}`, `_${letter}`, `${letter}_`]) marks[pairOf(open)] = 1
  }
  return marks
}

/** The same for both cases of a letter. */
function pairOf(name: string): number {
  return ((name.charCodeAt(0) & 31) << 5) | (name.charCodeAt(name.length - 1) & 31)
}
