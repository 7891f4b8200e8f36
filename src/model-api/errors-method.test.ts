import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { createWireErrors } from './errors.ts'
import { type FailedCall, methodName } from './errors-method.ts'

const gemini = 'google.ai.generativelanguage.v1beta'
const vertex = { version: 'v1beta1', resource: 'projects/p/locations/l/publishers/google/models/a' } as const

const methods: readonly (readonly [FailedCall, string | undefined])[] = [
  [{ operation: 'generateContent' }, `${gemini}.GenerativeService.GenerateContent`],
  [{ operation: 'streamGenerateContent' }, `${gemini}.GenerativeService.StreamGenerateContent`],
  [{ operation: 'countTokens' }, `${gemini}.GenerativeService.CountTokens`],
  [{ operation: 'batchEmbedContents' }, `${gemini}.GenerativeService.BatchEmbedContents`],
  [{ operation: 'listModels' }, `${gemini}.ModelService.ListModels`],
  [{ operation: 'getModel', version: 'v1' }, 'google.ai.generativelanguage.v1.ModelService.GetModel'],
  [{ operation: 'createFile' }, `${gemini}.FileService.CreateFile`],
  [{ operation: 'listCachedContents' }, `${gemini}.CacheService.ListCachedContents`],
  [{ operation: 'queryCorpus' }, `${gemini}.RetrieverService.QueryCorpus`],
  [{ operation: 'dance' }, undefined],
  [{}, undefined],
  [
    { operation: 'generateContent', ...vertex },
    'google.cloud.aiplatform.v1beta1.PredictionService.GenerateContent',
  ],
  [{ operation: 'countTokens', ...vertex }, 'google.cloud.aiplatform.v1beta1.LlmUtilityService.CountTokens'],
]

for (const [call, name] of methods)
  test(`${call.operation ?? 'no operation'} of ${call.resource ?? 'a model'} is ${name ?? 'no method'}`, () => {
    assert.equal(methodName(call), name)
  })

const errors = createWireErrors({
  vendor: 'goog',
  service: 'generativelanguage.googleapis.com',
  scopeBase: 'https://www.googleapis.com/auth',
  realm: 'https://gate.example',
})

test('an unknown model is told in the words of the path that named it', () => {
  const failure = new Failure('not-found', 'no', { reason: 'model_not_found' })
  const messages = [
    { operation: 'embedContent', version: 'v1', resource: 'models/a' },
    { operation: 'getModel', resource: 'models/a' },
    { operation: 'generateContent', ...vertex },
  ].map((call) => errors.body(failure, call).error.message)
  assert.deepEqual(messages, [
    'models/a is not found for API version v1, or is not supported for embedContent. Call ListModels to see the list of available models and their supported methods.',
    'Model is not found: models/a for api version v1beta',
    'Publisher Model `projects/p/locations/l/publishers/google/models/a` not found.',
  ])
})

test('details on a Vertex path name the service of Vertex AI', () => {
  const failure = new Failure('unauthenticated', 'no', { reason: 'token_expired' })
  const [detail] = errors.body(failure, { operation: 'generateContent', ...vertex }).error.details ?? []
  assert.deepEqual(detail?.metadata, {
    service: 'aiplatform.googleapis.com',
    method: 'google.cloud.aiplatform.v1beta1.PredictionService.GenerateContent',
  })
})

test('details of another vendor name its own domain and service', () => {
  const ours = createWireErrors({
    vendor: 'acme',
    service: 'gate.example',
    scopeBase: 'https://gate.example/auth',
    realm: 'https://gate.example',
  })
  const [detail] =
    ours.body(new Failure('unauthenticated', 'no', { reason: 'api_key_invalid' })).error.details ?? []
  assert.deepEqual(detail, {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'API_KEY_INVALID',
    domain: 'acme',
    metadata: { service: 'gate.example' },
  })
})
