import { collectText, writesText } from '../engines/collect-text.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Log } from '../log/log.ts'
import type { TextModel, TextModels } from '../mcp/text-models.ts'
import { guessTokens } from '../model-api/guess-tokens.ts'
import type { ModelTable, ServedModel } from '../model-api/model-table.ts'
import type { TokenCodec } from '../paging/token-codec.ts'

export interface TextModelParts {
  readonly models: ModelTable
  /** Signs page tokens. */
  readonly tokens: TokenCodec
}

export interface TextModelSurroundings {
  readonly log: Log
  readonly limits: Pick<Limiter, 'target' | 'spend'>
}

/** The models of the model API for the tools: the same engines, aliases, fallbacks and limits. */
export function createTextModels(
  { models, tokens }: TextModelParts,
  { log, limits }: TextModelSurroundings,
): TextModels {
  const names = new Map(models.all.map(({ engine, name }) => [engine, name]))
  const byName = new Map(
    models.all.filter(({ engine }) => writesText(engine)).map((model) => [model.name, textModel(model)]),
  )

  function textModel({ name, engine, fallbacks }: ServedModel): TextModel {
    return {
      name,
      version: engine.version,
      ...engine.limits,
      generate: async (order, { principal, used, ...call }) => {
        const target = { kind: 'model', name } as const
        await limits.target(principal, target)
        const { engine: answering, ...answer } = await collectText(
          { ...order, engine, fallbacks },
          {
            ...call,
            onFault: (err) =>
              log.warn({ err, model: name, request_id: call.requestId }, 'a model did not answer a tool'),
            onUsed: ({ tokensIn, tokensOut }) => {
              const read = tokensIn > 0 ? tokensIn : guessTokens(Buffer.from(order.prompt), engine.limits)
              limits.spend(principal, target, read + tokensOut)
              if (tokensIn + tokensOut > 0) used(tokensIn, tokensOut)
            },
          },
        )
        return { ...answer, model: answering === engine ? name : (names.get(answering) ?? name) }
      },
    }
  }

  return {
    all: [...byName.values()],
    find: (name) => byName.get(models.find(name)?.name ?? ''),
    tokens,
  }
}
