import {
  type TArray,
  type TLiteral,
  type TObject,
  type TOptional,
  type TString,
  type TUnion,
  Type,
} from 'typebox'
import { expectsMark, httpUrl, listOf, secretText, section } from './schema-parts.ts'

const storyModel: TObject<{ name: TString; engine: TLiteral<'story'> }> = section('The embedded model.', {
  name: modelName(),
  engine: Type.Literal('story', {
    description: 'The small model that comes with Postern and needs no network.',
  }),
})

const geminiModel: TObject<{
  name: TString
  engine: TLiteral<'gemini'>
  apiKey: TString
  model: TOptional<TString>
  baseUrl: TOptional<TString>
}> = section('A model of the Gemini API.', {
  name: modelName(),
  engine: Type.Literal('gemini', { description: 'A model of the Gemini API.' }),
  apiKey: secretText('The API key to send there.'),
  model: upstreamModel(),
  baseUrl: Type.Optional(httpUrl('Another place that speaks the same API. Google unless set.')),
})

const vertexModel: TObject<{
  name: TString
  engine: TLiteral<'vertex'>
  project: TString
  location: TString
  model: TOptional<TString>
}> = section('A model of Vertex AI.', {
  name: modelName(),
  engine: Type.Literal('vertex', {
    description: 'A model of Vertex AI, called with Application Default Credentials.',
  }),
  project: Type.String({ minLength: 1, description: 'The Google Cloud project.' }),
  location: Type.String({ minLength: 1, default: 'global', description: 'The Google Cloud location.' }),
  model: upstreamModel(),
})

const openaiModel: TObject<{
  name: TString
  engine: TLiteral<'openai'>
  baseUrl: TString
  model: TOptional<TString>
  apiKey: TOptional<TString>
}> = section('A model behind the OpenAI wire: vLLM, Ollama, llama.cpp and others.', {
  name: modelName(),
  engine: Type.Literal('openai', { description: 'A model behind any server that speaks the OpenAI wire.' }),
  baseUrl: httpUrl('Where that server is, including `/v1`.'),
  model: upstreamModel(),
  apiKey: Type.Optional(secretText('The API key to send there. None is sent unless set.')),
})

const llamaModel: TObject<{ name: TString; engine: TLiteral<'llama'>; path: TString }> = section(
  'A GGUF file, run in this process.',
  {
    name: modelName(),
    engine: Type.Literal('llama', {
      description: 'A GGUF file, run here through `node-llama-cpp` (install it first).',
    }),
    path: Type.String({ minLength: 1, description: 'The GGUF file, relative to the configuration file.' }),
  },
)

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
