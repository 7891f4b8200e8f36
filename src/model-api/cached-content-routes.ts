import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PieceEngine } from '../engines/engine.ts'
import { Failure } from '../failure/failure.ts'
import { definePager } from '../paging/pager.ts'
import { renderBody } from '../paging/render.ts'
import type { TokenCodec } from '../paging/token-codec.ts'
import {
  type CachedContentName,
  type CachedContentPlace,
  type CachedContents,
  cachedContentSort,
} from '../store/cached-contents.ts'
import type { Clock } from '../store/clock.ts'
import { isStorable } from '../store/storable-text.ts'
import { cachedContentAnswer, unknownCachedContent } from './cached-content-answer.ts'
import { type KeptRequest, readCachedContent, readCachedContentUpdate } from './cached-content-message.ts'
import type { ResolveFiles } from './file-references.ts'
import { refuseModel } from './gate.ts'
import type { Guard } from './guarded-route.ts'
import { pageParameters } from './list-models.ts'
import type { ModelTable } from './model-table.ts'
import { callerOf, ownerOf } from './owner.ts'

export interface CachedContentParts {
  readonly cachedContents: CachedContents
  readonly resolveFiles: ResolveFiles
  readonly models: ModelTable
  readonly tokens: TokenCodec
  readonly guard: Guard
  readonly now: Clock
  readonly bodyLimit: number
}

interface Placed {
  readonly Params: { readonly project?: string; readonly location?: string; readonly id?: string }
}

type Request = FastifyRequest<Placed>

/** `…/cachedContents`, under a place (`/projects/:project/locations/:location`) or none: each principal sees its own. */
export function mountCachedContents(scope: FastifyInstance, parts: CachedContentParts, place = ''): void {
  const { cachedContents, guard, bodyLimit, now } = parts
  const all = `${place}/cachedContents`
  const one = `${all}/:id`
  scope.post<Placed>(all, { ...guard('createCachedContent'), bodyLimit }, (request, reply) =>
    create(parts, request, reply),
  )
  scope.get<Placed>(all, guard('listCachedContents'), createList(parts))
  scope.get<Placed>(one, guard('getCachedContent'), async (request) => {
    const name = nameOf(request)
    return cachedContentAnswer(orUnknown(await cachedContents.find(name), name))
  })
  scope.patch<Placed>(one, { ...guard('updateCachedContent'), bodyLimit }, async (request) => {
    const name = nameOf(request)
    const expiresAt = readCachedContentUpdate(request.body, maskOf(request.query), now())
    return cachedContentAnswer(orUnknown(await cachedContents.extend(name, expiresAt), name))
  })
  scope.delete<Placed>(one, guard('deleteCachedContent'), async (request) => {
    const name = nameOf(request)
    if (!(await cachedContents.remove(name))) throw unknownCachedContent(name)
    return {}
  })
}

function nameOf(request: Request): CachedContentName {
  const { project, location, id = '' } = request.params
  const parent = project === undefined ? '' : `projects/${project}/locations/${location ?? ''}`
  if (!isStorable(parent) || !isStorable(id)) throw unknownCachedContent({ parent, id })
  return { owner: ownerOf(callerOf(request)), parent, id }
}

function orUnknown<T>(found: T | undefined, name: CachedContentName): T {
  if (found === undefined) throw unknownCachedContent(name)
  return found
}

function maskOf(query: unknown): string | undefined {
  const { updateMask, update_mask: snake } = Object(query)
  const mask: unknown = updateMask ?? snake
  return Array.isArray(mask) ? mask.join(',') : typeof mask === 'string' ? mask : undefined
}

async function create(parts: CachedContentParts, request: Request, reply: FastifyReply): Promise<object> {
  const caller = callerOf(request)
  const { model, displayName, kept, expiresAt } = readCachedContent(request.body, parts.now())
  const modelName = model.slice(model.lastIndexOf('/') + 1)
  refuseModel(caller, modelName)
  const engine = engineOf(parts.models, modelName)
  const resolved = await parts.resolveFiles(kept, caller)
  const tokens = await countTokens(engine, resolved, { request, reply })
  const { owner, parent } = nameOf(request)
  const row = await parts.cachedContents.create({
    owner,
    id: newId(),
    parent,
    model: model.includes('/') ? model : `models/${model}`,
    display_name: displayName,
    content: JSON.stringify(resolved),
    tokens,
    expires_at: expiresAt,
  })
  return cachedContentAnswer(row)
}

function engineOf(models: ModelTable, name: string): PieceEngine {
  const engine = models.find(name)?.engine
  if (engine?.kind === 'pieces') return engine
  if (engine === undefined)
    throw new Failure(
      'not-found',
      `models/${name} is not found, or is not supported for createCachedContent.`,
    )
  throw new Failure(
    'invalid-request',
    `models/${name} is served by an upstream, which keeps its own cached contents: create them there`,
    { reason: 'failed_precondition' },
  )
}

interface Exchange {
  readonly request: Request
  readonly reply: FastifyReply
}

/** Engines count requests, and a request has contents. */
async function countTokens(
  engine: PieceEngine,
  kept: KeptRequest,
  { request, reply }: Exchange,
): Promise<number> {
  const abort = new AbortController()
  reply.raw.once('close', () => abort.abort())
  const { systemInstruction, ...rest } = kept
  const counted =
    kept.contents.length > 0 || systemInstruction === undefined
      ? kept
      : { ...rest, contents: [{ ...systemInstruction, role: 'user' }] }
  const call = { signal: abort.signal, requestId: request.id }
  return (await engine.countTokens(counted, call)).totalTokens
}

function newId(): string {
  return BigInt(`0x${randomBytes(20).toString('hex')}`).toString(36)
}

function createList({ cachedContents, tokens }: CachedContentParts): (request: Request) => Promise<object> {
  const pager = definePager<CachedContentPlace>({
    id: 'cachedContents',
    style: 'page-token',
    names: { items: 'cachedContents' },
    placement: { link: false, totalCount: false },
    isPrivate: true,
    tokens,
    sorts: { newest: cachedContentSort },
  })
  return async (request) => {
    const { owner, parent } = nameOf(request)
    const context = { principal: owner, filters: { parent } }
    const parsed = pager.parse(pageParameters(request.query), context)
    const page = await cachedContents.list({ owner, parent, pager, request: parsed })
    return renderBody({ ...page, items: page.items.map(cachedContentAnswer) })
  }
}
