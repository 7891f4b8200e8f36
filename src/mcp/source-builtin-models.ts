import { Type } from 'typebox'
import { pageArray } from '../paging/page-array.ts'
import { definePager } from '../paging/pager.ts'
import { defineTool } from './define-tool.ts'
import type { TextModels } from './text-models.ts'
import type { Tool, ToolContext } from './tool.ts'
import { errorResult } from './tool-result.ts'

export interface ModelToolOptions {
  readonly models: TextModels
  /** For a tool, or `*`, the scopes that a call needs. */
  readonly scopes: Readonly<Record<string, readonly string[]>>
  /** Milliseconds that never step. */
  readonly now?: () => number
}

/** The names of the tools that need a model. */
export const modelToolNames: readonly string[] = ['generate_text', 'list_models']

/** Only those that the scopes name, or `*`: nobody spends the team's money with a token that was meant for `echo`. */
export function modelTools({ models, scopes, now = steadyClock }: ModelToolOptions): readonly Tool[] {
  const given = new Map(Object.entries(scopes))
  const [generate, list] = modelToolNames.map((name) => given.get(name) ?? given.get('*'))
  return [
    ...(generate === undefined
      ? []
      : [generateText({ models, scopes: generate, now, isListed: list !== undefined })]),
    ...(list === undefined ? [] : [listModels(models, list)]),
  ]
}

function steadyClock(): number {
  return performance.now()
}

interface GenerateTextOptions {
  readonly models: TextModels
  readonly scopes: readonly string[]
  readonly now: () => number
  /** The caller can ask which models there are. */
  readonly isListed: boolean
}

function generateText({ models, scopes, now, isListed }: GenerateTextOptions): Tool {
  return defineTool({
    name: 'generate_text',
    description: `Has a language model write a text.${isListed ? ' Which models there are: list_models.' : ''}`,
    scopes,
    // It changes nothing, but it costs: no client should take it for something that needs no thought.
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    input: Type.Object(
      {
        model: Type.String({ minLength: 1, maxLength: 128, description: 'The name of a model.' }),
        prompt: Type.String({ minLength: 1, description: 'What the model is asked.' }),
        maxOutputTokens: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 2_147_483_647,
            description: 'The most tokens that it may write. As many as the model allows unless given.',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      text: Type.String(),
      model: Type.String({ description: 'The model that answered.' }),
      finishReason: Type.String({ description: 'STOP, MAX_TOKENS, or why the model did not go on.' }),
      tokensIn: Type.Integer(),
      tokensOut: Type.Integer(),
    }),
    run: ({ model: name, ...order }, { principal, signal, requestId, progress, used }) => {
      const model = models.find(name)
      if (model === undefined) return errorResult(unknownModel(name, models, isListed))
      return model.generate(order, { principal, signal, requestId, used, onText: modestly(progress, now) })
    },
  })
}

function unknownModel(name: string, { all }: TextModels, isListed: boolean): string {
  const which = isListed
    ? 'list_models tells which there are'
    : `there are ${all
        .slice(0, mostNamed)
        .map((model) => model.name)
        .join(', ')}`
  return `there is no model ${JSON.stringify(name)} that writes text; ${which}`
}

const mostNamed = 20

/** In characters, because tokens are known only at the end. */
function modestly(progress: ToolContext['progress'], now: () => number): (characters: number) => void {
  let next = Number.NEGATIVE_INFINITY
  return (characters) => {
    const time = now()
    if (time < next || characters === 0) return
    next = time + restMs
    progress(characters, undefined, `${characters} characters so far`)
  }
}

const restMs = 100

function listModels(models: TextModels, scopes: readonly string[]): Tool {
  const pager = definePager<{ readonly name: string }>({
    id: 'text-models',
    style: 'page-token',
    names: { limit: null, token: 'cursor', next: 'nextCursor', items: 'models' },
    limit: { default: pageSize, maximum: pageSize },
    placement: { link: false, totalCount: false },
    tokens: models.tokens,
    sorts: { name: [{ column: 'name', type: 'text', direction: 'ascending', unique: true }] },
  })
  return defineTool({
    name: 'list_models',
    description: 'The models that generate_text can ask, in pages.',
    scopes,
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    input: Type.Object(
      {
        cursor: Type.Optional(
          Type.String({ description: 'nextCursor of the page before. The first page unless given.' }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({ models: Type.Array(listedModel), nextCursor: Type.Optional(Type.String()) }),
    run: ({ cursor = '' }) => {
      const request = pager.parse({ cursor })
      const page = pager.finish(request, pageArray(pager.plan(request), models.all))
      return {
        models: page.items.map(({ name, version, inputTokenLimit, outputTokenLimit }) => ({
          name,
          version,
          inputTokenLimit,
          outputTokenLimit,
        })),
        ...(page.next !== null && { nextCursor: page.next }),
      }
    },
  })
}

const pageSize = 50

const listedModel = Type.Object({
  name: Type.String(),
  version: Type.String(),
  inputTokenLimit: Type.Integer(),
  outputTokenLimit: Type.Integer(),
})
