import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { Failure } from '../failure/failure.ts'
import { pageArray } from '../paging/page-array.ts'
import { definePager } from '../paging/pager.ts'
import { renderBody } from '../paging/render.ts'
import type { TokenCodec } from '../paging/token-codec.ts'
import { type ListedModel, modelAnswer, publisherModelAnswer } from './answer-shapes.ts'
import type { ModelTable, ServedModel } from './model-table.ts'
import { matchesName } from './name-pattern.ts'

export interface ModelLists {
  readonly list: (request: FastifyRequest) => object
  readonly get: (request: FastifyRequest<NamedModel>) => object
}

export interface NamedModel {
  readonly Params: { readonly name: string }
}

/** How a model is shown, and under which name a list holds them. */
export interface ModelShape {
  readonly items: string
  readonly answer: (model: ListedModel) => object
}

export const modelShapes: Readonly<Record<'gemini' | 'vertex', ModelShape>> = {
  gemini: { items: 'models', answer: modelAnswer },
  vertex: { items: 'publisherModels', answer: publisherModelAnswer },
}

/** `GET …/models` in pages, and one of them; a key that is made for some models sees only these. */
export function createModelLists(models: ModelTable, shape: ModelShape, tokens: TokenCodec): ModelLists {
  const pager = definePager<{ readonly name: string }>({
    id: shape.items,
    style: 'page-token',
    names: { items: shape.items },
    placement: { link: false, totalCount: false },
    tokens,
    sorts: { name: [{ column: 'name', type: 'text', direction: 'ascending', unique: true }] },
  })
  return {
    list: (request) => {
      const parsed = pager.parse(pageParameters(request.query))
      const page = pager.finish(parsed, pageArray(pager.plan(parsed), shownTo(request, models)))
      return renderBody({ ...page, items: page.items.map((model) => shape.answer(model)) })
    },
    get: (request) => {
      const { name } = request.params
      const caller = request.modelCall?.caller
      const model = caller === undefined || mayCall(caller, name) ? models.find(name) : undefined
      if (model === undefined)
        throw new Failure('not-found', `there is no model ${name}`, { reason: 'model_not_found' })
      return shape.answer({ ...model, name })
    },
  }
}

/** Clients add parameters of their own to every call; to a list only these mean something. */
export function pageParameters(query: unknown): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {}
  for (const [camel, snake] of names) {
    const value = member(query, camel) ?? member(query, snake)
    if (typeof value === 'string' || isTexts(value)) found[camel] = value
  }
  return found
}

const names = [
  ['pageSize', 'page_size'],
  ['pageToken', 'page_token'],
] as const

function member(query: unknown, name: string): unknown {
  return typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function shownTo(request: FastifyRequest, models: ModelTable): readonly ServedModel[] {
  const caller = request.modelCall?.caller
  return caller === undefined ? [] : models.all.filter(({ name }) => mayCall(caller, name))
}

function mayCall({ models }: Caller, name: string): boolean {
  return models === undefined || models.some((pattern) => matchesName(pattern, name))
}
