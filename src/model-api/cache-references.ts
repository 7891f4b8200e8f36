import type { Caller } from '../auth/caller.ts'
import type { AnswerPiece, GenerateRequest } from '../engines/content.ts'
import { Failure } from '../failure/failure.ts'
import type { CachedContents } from '../store/cached-contents.ts'
import { isStorable } from '../store/storable-text.ts'
import { unknownCachedContent } from './cached-content-answer.ts'
import type { KeptRequest } from './cached-content-message.ts'
import type { ResolveFiles } from './file-references.ts'
import { isObject } from './json-kinds.ts'
import type { ModelCall } from './model-call.ts'
import { callerOf, ownerOf } from './owner.ts'
import { invalidArgument } from './wire-failure.ts'

/** A request with nothing in it that refers to something stored here. */
interface ResolvedRequest {
  readonly request: GenerateRequest
  /** How many of its tokens came out of a cache; undefined without one. */
  readonly cachedTokens: number | undefined
}

interface CacheUse {
  readonly caller: Caller
  /** The model that is asked, as the path names it. */
  readonly model: string
}

export type ResolveCache = (request: GenerateRequest, use: CacheUse) => Promise<ResolvedRequest>

/** Puts what was cached before what is sent. */
export function createCacheResolver(cachedContents: CachedContents): ResolveCache {
  return async ({ cachedContent, ...request }, { caller, model }) => {
    if (cachedContent === undefined || cachedContent === '') return { request, cachedTokens: undefined }
    refuseBoth(request)
    const name = nameIn(cachedContent)
    const cached = await cachedContents.findContent({ owner: ownerOf(caller), ...name })
    if (cached === undefined) throw unknownCachedContent(name)
    refuseOtherModel(model, cached.model)
    const kept = readKept(cached.content)
    return {
      request: { ...request, ...kept, contents: [...kept.contents, ...request.contents] },
      cachedTokens: cached.tokens,
    }
  }
}

/** What a piece engine is given: caches first, because files may stand beside them. */
export type ResolveReferences = (request: GenerateRequest, call: ModelCall) => Promise<ResolvedRequest>

export function createReferenceResolver(
  resolveCache: ResolveCache,
  resolveFiles: ResolveFiles,
): ResolveReferences {
  return async (request, call) => {
    const caller = callerOf({ modelCall: call })
    const resolved = await resolveCache(request, { caller, model: call.name })
    return { ...resolved, request: await resolveFiles(resolved.request, caller) }
  }
}

/** Tells in the usage how much of the prompt was cached. */
export async function* withCachedTokens(
  pieces: AsyncIterable<AnswerPiece>,
  cachedTokens: number,
): AsyncGenerator<AnswerPiece> {
  for await (const piece of pieces)
    yield piece.usageMetadata === undefined
      ? piece
      : { ...piece, usageMetadata: { ...piece.usageMetadata, cachedContentTokenCount: cachedTokens } }
}

function refuseBoth({ systemInstruction, tools, toolConfig }: GenerateRequest): void {
  if (systemInstruction === undefined && tools === undefined && toolConfig === undefined) return
  throw invalidArgument(
    'CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config.\n\nProposed fix: move those values to CachedContent from GenerateContent request.',
  )
}

function nameIn(reference: string): { readonly parent: string; readonly id: string } {
  const [, parent = '', id = ''] = isStorable(reference) ? (resourceName.exec(reference) ?? []) : []
  return { parent, id }
}

const resourceName = /^(?:(projects\/[^/]+\/locations\/[^/]+)\/)?cachedContents\/([^/]+)$/

function refuseOtherModel(asked: string, cached: string): void {
  if (cached.slice(cached.lastIndexOf('/') + 1) === asked) return
  throw invalidArgument(
    `Model used by GenerateContent request (models/${asked}) and CachedContent (${cached}) has to be the same.`,
  )
}

function readKept(content: string): KeptRequest {
  const kept: unknown = JSON.parse(content)
  if (isKept(kept)) return kept
  throw new Failure('internal', 'a cached content cannot be read')
}

/** It was checked when it was stored. */
function isKept(value: unknown): value is KeptRequest {
  return isObject(value) && Array.isArray(value.contents)
}
