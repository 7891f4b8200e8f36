import {
  type TArray,
  type TBoolean,
  type TEnum,
  type TInteger,
  type TLiteral,
  type TObject,
  type TOptional,
  type TString,
  type TUnion,
  Type,
} from 'typebox'
import { expectsMark, httpUrl, listOf, secretText, section } from './schema-parts.ts'
import { type UpstreamRight, upstreamRights } from './upstream-rights.ts'

const timeoutsSchema: TObject<{
  connectSeconds: TInteger
  firstByteSeconds: TInteger
  idleSeconds: TInteger
}> = section('How long to wait for the upstream.', {
  connectSeconds: seconds(5, 'Until the connection stands.'),
  firstByteSeconds: seconds(
    300,
    'Until the first byte of the answer, which comes last when it is not streamed.',
  ),
  idleSeconds: seconds(60, 'Between two bytes of the answer.'),
})

const storyModel: TObject<{ name: TString; engine: TLiteral<'story'>; fallbacks: TArray<TString> }> = section(
  'The embedded model.',
  {
    name: modelName(),
    engine: Type.Literal('story', {
      description: 'The small model that comes with Postern and needs no network.',
    }),
    fallbacks: fallbacks(),
  },
)

const allowSchema: TArray<TEnum<UpstreamRight[]>> = listOf(Type.Enum<UpstreamRight[]>([...upstreamRights]), {
  description: 'What callers may have the upstream do with our credential, besides answering.',
})

const geminiModel: TObject<{
  name: TString
  engine: TLiteral<'gemini'>
  apiKey: TString
  model: TOptional<TString>
  baseUrl: TOptional<TString>
  timeouts: typeof timeoutsSchema
  retries: TInteger
  allow: typeof allowSchema
  fallbacks: TArray<TString>
}> = section('A model of the Gemini API.', {
  name: modelName(),
  engine: Type.Literal('gemini', { description: 'A model of the Gemini API.' }),
  apiKey: secretText('The API key to send there.'),
  model: upstreamModel(),
  baseUrl: Type.Optional(httpUrl('Another place that speaks the same API. Google unless set.')),
  timeouts: timeoutsSchema,
  retries: retries(),
  allow: allowSchema,
  fallbacks: fallbacks(),
})

const vertexModel: TObject<{
  name: TString
  engine: TLiteral<'vertex'>
  project: TString
  location: TString
  model: TOptional<TString>
  baseUrl: TOptional<TString>
  timeouts: typeof timeoutsSchema
  retries: TInteger
  allow: typeof allowSchema
  fallbacks: TArray<TString>
}> = section('A model of Vertex AI.', {
  name: modelName(),
  engine: Type.Literal('vertex', {
    description: 'A model of Vertex AI, called with Application Default Credentials.',
  }),
  project: Type.String({ minLength: 1, description: 'The Google Cloud project.' }),
  location: Type.String({ minLength: 1, default: 'global', description: 'The Google Cloud location.' }),
  model: upstreamModel(),
  baseUrl: Type.Optional(httpUrl('Another place that speaks the same API. Google unless set.')),
  timeouts: timeoutsSchema,
  retries: retries(),
  allow: allowSchema,
  fallbacks: fallbacks(),
})

type Ignorable = 'topK' | 'thinkingConfig' | 'safetySettings' | 'taskType'

const dialectSchema: TObject<{
  extensions: TBoolean
  maxTokensField: TEnum<['max_tokens', 'max_completion_tokens']>
  strictSchemas: TBoolean
  ignored: TArray<TEnum<Ignorable[]>>
}> = section('Where servers of this wire differ.', {
  extensions: Type.Boolean({
    default: false,
    description: 'Whether the server reads `top_k` and `reasoning_content`, as vLLM and llama.cpp do.',
  }),
  maxTokensField: Type.Enum(['max_tokens', 'max_completion_tokens'], {
    default: 'max_tokens',
    description: 'The field for `maxOutputTokens`; reasoning models of OpenAI read only the newer one.',
  }),
  strictSchemas: Type.Boolean({
    default: false,
    description: 'Whether response schemas are marked strict: OpenAI then enforces them, and refuses some.',
  }),
  ignored: listOf(Type.Enum<Ignorable[]>(['topK', 'thinkingConfig', 'safetySettings', 'taskType']), {
    description: 'Fields to leave out where the wire has no place for them, instead of a refusal.',
  }),
})

const openaiModel: TObject<{
  name: TString
  engine: TLiteral<'openai'>
  baseUrl: TString
  model: TOptional<TString>
  apiKey: TOptional<TString>
  dialect: typeof dialectSchema
  inputTokenLimit: TInteger
  outputTokenLimit: TInteger
  timeouts: typeof timeoutsSchema
  retries: TInteger
  fallbacks: TArray<TString>
}> = section('A model behind the OpenAI wire: vLLM, Ollama, llama.cpp and others.', {
  name: modelName(),
  engine: Type.Literal('openai', { description: 'A model behind any server that speaks the OpenAI wire.' }),
  baseUrl: httpUrl('Where that server is, including `/v1`.'),
  model: upstreamModel(),
  apiKey: Type.Optional(secretText('The API key to send there. None is sent unless set.')),
  dialect: dialectSchema,
  inputTokenLimit: tokens(131_072, 'What lists of models say of its input.'),
  outputTokenLimit: tokens(8192, 'What lists of models say of its output.'),
  timeouts: timeoutsSchema,
  retries: retries(),
  fallbacks: fallbacks(),
})

const llamaModel: TObject<{
  name: TString
  engine: TLiteral<'llama'>
  path: TString
  fallbacks: TArray<TString>
}> = section('A GGUF file, run in this process.', {
  name: modelName(),
  engine: Type.Literal('llama', {
    description: 'A GGUF file, run here through `node-llama-cpp` (install it first).',
  }),
  path: Type.String({ minLength: 1, description: 'The GGUF file, relative to the configuration file.' }),
  fallbacks: fallbacks(),
})

export const modelsSchema: TArray<
  TUnion<[typeof storyModel, typeof geminiModel, typeof vertexModel, typeof openaiModel, typeof llamaModel]>
> = listOf(Type.Union([storyModel, geminiModel, vertexModel, openaiModel, llamaModel]), {
  description: 'The models that apps can call. `engine` says what answers for a model.',
})

function modelName(): TString {
  return Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
    [expectsMark]: 'a name of letters, digits, ., - and _, at most 128, that starts with a letter or digit',
    description: 'The name by which callers ask for it, unique among the models.',
  })
}

function upstreamModel(): TOptional<TString> {
  return Type.Optional(
    Type.String({ minLength: 1, description: 'Its name there. The same as `name` unless set.' }),
  )
}

function fallbacks(): TArray<TString> {
  return listOf(Type.String({ minLength: 1 }), {
    description: 'Models that answer in its place when it fails before the first byte, in this order.',
  })
}

function retries(): TInteger {
  return Type.Integer({
    minimum: 0,
    maximum: 5,
    default: 1,
    description: 'How often a call is tried again that failed before the first byte of its answer.',
  })
}

function seconds(number: number, description: string): TInteger {
  return Type.Integer({ minimum: 1, maximum: 3600, default: number, description })
}

function tokens(number: number, description: string): TInteger {
  return Type.Integer({ minimum: 1, default: number, description })
}
