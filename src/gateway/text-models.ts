import { collectText, writesText } from '../engines/collect-text.ts'
import type { Log } from '../log/log.ts'
import type { TextModel, TextModels } from '../mcp/text-models.ts'
import type { ModelTable, ServedModel } from '../model-api/model-table.ts'
import type { TokenCodec } from '../paging/token-codec.ts'

export interface TextModelParts {
  readonly models: ModelTable
  /** Signs page tokens. */
  readonly tokens: TokenCodec
}

/** The models of the model API for the tools: the same engines, aliases and fallbacks. */
export function createTextModels({ models, tokens }: TextModelParts, log: Log): TextModels {
  const names = new Map(models.all.map(({ engine, name }) => [engine, name]))
  const byName = new Map(
    models.all.filter(({ engine }) => writesText(engine)).map((model) => [model.name, textModel(model)]),
  )

  function textModel({ name, engine, fallbacks }: ServedModel): TextModel {
    return {
      name,
      version: engine.version,
      ...engine.limits,
      generate: async (order, call) => {
        const { engine: answering, ...answer } = await collectText(
          { ...order, engine, fallbacks },
          {
            ...call,
            onFault: (err) =>
              log.warn({ err, model: name, request_id: call.requestId }, 'a model did not answer a tool'),
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
