import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientError } from '../../../test/client/client-error-check.ts'
import { modelsUrl, operationUrl } from './model-path.ts'
import { type ResolveOptions, resolveCredential } from './resolve-credential.ts'
import type { Place } from './resolve-place.ts'

function placeOf(options: ResolveOptions): Place {
  return resolveCredential({ baseUrl: 'https://gate.example/ai/', accessToken: 'token', ...options }, {})
    .place
}

const gemini = placeOf({})
const vertex = placeOf({ vertexai: true, project: 'my project', location: 'eu' })
const publisher = '/ai/v1beta1/projects/my%20project/locations/eu/publishers'

for (const [claim, place, name, path] of [
  ['a plain name', gemini, 'tiny', '/ai/v1beta/models/tiny:countTokens'],
  ['a full name', gemini, 'models/tiny', '/ai/v1beta/models/tiny:countTokens'],
  ['a tuned model', gemini, 'tunedModels/mine', '/ai/v1beta/tunedModels/mine:countTokens'],
  ['another version', placeOf({ apiVersion: 'v1' }), 'tiny', '/ai/v1/models/tiny:countTokens'],
  ['a plain name on the platform', vertex, 'tiny', `${publisher}/google/models/tiny:countTokens`],
  ['a full name on the platform', vertex, 'models/tiny', `${publisher}/google/models/tiny:countTokens`],
  ['another publisher', vertex, 'meta/llama-3', `${publisher}/meta/models/llama-3:countTokens`],
  [
    'an endpoint of another project',
    vertex,
    'projects/p/locations/l/endpoints/55',
    '/ai/v1beta1/projects/p/locations/l/endpoints/55:countTokens',
  ],
  [
    'no project',
    placeOf({ vertexai: true }),
    'tiny',
    '/ai/v1beta1/publishers/google/models/tiny:countTokens',
  ],
] as const)
  test(`${claim} has its path`, () => {
    assert.equal(operationUrl(place, name, 'countTokens').pathname, path)
  })

test('models of the platform are listed without a project', () => {
  assert.equal(modelsUrl(vertex).pathname, '/ai/v1beta1/publishers/google/models')
  assert.equal(modelsUrl(gemini, 'tiny').pathname, '/ai/v1beta/models/tiny')
})

for (const name of ['', '../keys', 'models/..', 'tiny?key=1', 'tiny#x', 'a b', '/tiny', 'models//tiny'])
  test(`"${name}" is no name of a model`, () => {
    assert.throws(() => operationUrl(gemini, name, 'countTokens'), isClientError('invalid_option'))
  })
