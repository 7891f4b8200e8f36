import { ClientError } from '../client-error.ts'
import { pageTokenPages } from '../page-token-pages.ts'
import { retryPolicy } from '../retry-policy.ts'
import { type Walk, type WalkOptions, walk } from '../walk.ts'
import { type Answer, answer, type TokenCount, tokenCount } from './answer.ts'
import type { Embedding, GivenContent } from './content.ts'
import { type DefaultCredentials, identityOf } from './credential-headers.ts'
import { type EmbedOptions, embedAll } from './embed.ts'
import { countBody, type GivenRequest, generateBody } from './generate-request.ts'
import { type Model, model as modelReader } from './model.ts'
import type { ModelClientOptions } from './model-client-options.ts'
import { modelName, modelsUrl, operationUrl } from './model-path.ts'
import { type ModelTransport, modelTransport } from './model-transport.ts'
import type { Resolution } from './resolve-credential.ts'
import type { Place } from './resolve-place.ts'

export interface ModelCallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ModelClient {
  /** Who calls what, without any secret. */
  readonly identity: ModelClientIdentity
  readonly generate: (model: string, request: GivenRequest, options?: ModelCallOptions) => Promise<Answer>
  /** The answer piece by piece; leaving the loop ends it. */
  readonly stream: (
    model: string,
    request: GivenRequest,
    options?: ModelCallOptions,
  ) => AsyncGenerator<Answer, void, undefined>
  readonly countTokens: (
    model: string,
    request: GivenRequest,
    options?: ModelCallOptions,
  ) => Promise<TokenCount>
  readonly embed: (model: string, content: GivenContent, options?: EmbedOptions) => Promise<Embedding>
  readonly embedMany: (
    model: string,
    contents: readonly GivenContent[],
    options?: EmbedOptions,
  ) => Promise<readonly Embedding[]>
  readonly models: (options?: WalkOptions & { readonly pageSize?: number }) => Walk<Model>
  readonly model: (name: string, options?: ModelCallOptions) => Promise<Model>
}

export interface ModelClientIdentity {
  readonly credential: Resolution['credential']['kind']
  /** The option or variable that it was found in. */
  readonly from: string
  /** Variables that hold an API key that is not used. */
  readonly ignored: readonly string[]
  readonly platform: Place['platform']
  readonly baseUrl: string
  readonly project: string | undefined
  readonly location: string | undefined
}

export function createModelClient(
  resolution: Resolution,
  options: ModelClientOptions,
  defaultCredentials: DefaultCredentials,
): ModelClient {
  const { maxBytes = 64 * 1024 * 1024 } = options
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new ClientError('invalid_option', 'maxBytes must be a whole number, 1 or more')
  const { place } = resolution
  const transport = modelTransport({
    identity: identityOf(resolution, options, defaultCredentials),
    policy: retryPolicy(options.retries),
    maxBytes,
  })
  return { identity: identified(resolution), ...generation(transport, place), ...catalogue(transport, place) }
}

type Generation = Pick<ModelClient, 'generate' | 'stream' | 'countTokens' | 'embed' | 'embedMany'>

function generation(transport: ModelTransport, place: Place): Generation {
  const embedMany: ModelClient['embedMany'] = async (model, contents, options = {}) => {
    const embeddings = await embedAll(transport, place, { model, contents, options })
    if (embeddings.length === contents.length) return embeddings
    const message = `${embeddings.length} embeddings came for ${contents.length} contents`
    throw new ClientError('unexpected_body', message)
  }
  return {
    embedMany,
    embed: async (model, content, options) => {
      const [embedding = { values: [] }] = await embedMany(model, [content], options)
      return embedding
    },
    generate: async (model, request, { signal } = {}) => {
      const url = operationUrl(place, model, 'generateContent')
      return answer(await transport.json({ url, body: generateBody(request), signal }), '')
    },
    stream: async function* stream(model, request, { signal } = {}) {
      const url = operationUrl(place, model, 'streamGenerateContent')
      url.searchParams.set('alt', 'sse')
      const events = transport.events({ url, body: generateBody(request), signal })
      for await (const event of events) yield answer(event, '')
    },
    countTokens: async (model, request, { signal } = {}) => {
      const url = operationUrl(place, model, 'countTokens')
      const body = countBody(request, { platform: place.platform, model: modelName(place, model) })
      return tokenCount(await transport.json({ url, body, signal }), '')
    },
  }
}

function catalogue(transport: ModelTransport, place: Place): Pick<ModelClient, 'models' | 'model'> {
  const parse = (item: unknown): Model => modelReader(item, '')
  return {
    models: ({ pageSize, ...options } = {}) => {
      const url = modelsUrl(place)
      const pages = pageTokenPages(url, {
        ...transport.listOptions(url),
        ...(pageSize === undefined ? {} : { pageSize }),
        fields: { items: place.platform === 'vertex' ? 'publisherModels' : 'models' },
        parse,
      })
      return walk(pages, options)
    },
    model: async (name, { signal } = {}) =>
      parse(await transport.json({ url: modelsUrl(place, name), signal })),
  }
}

function identified({ credential, place, ignored }: Resolution): ModelClientIdentity {
  const { platform, baseUrl, project, location } = place
  const { kind, from } = credential
  return { credential: kind, from, ignored, platform, baseUrl: baseUrl.href, project, location }
}
