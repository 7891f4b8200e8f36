import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  readBatchEmbedRequest,
  readCountRequest,
  readEmbedRequest,
  readPredictRequest,
} from './read-request.ts'
import { WireFailure } from './wire-failure.ts'

const hello = { role: 'user', parts: [{ text: 'hi' }] }
const model = 'models/tiny'

function refusal(act: () => unknown): WireFailure {
  try {
    act()
  } catch (error) {
    assert.ok(error instanceof WireFailure)
    assert.equal(error.code, 'invalid-request')
    return error
  }
  return assert.fail('it was accepted')
}

test('tokens are counted of the contents, or of a whole request', () => {
  assert.deepEqual(readCountRequest({ contents: [hello] }, model), { contents: [hello] })
  const whole = { model: 'models/tiny', contents: [hello], systemInstruction: hello }
  assert.deepEqual(readCountRequest({ generateContentRequest: whole }, model), {
    contents: [hello],
    systemInstruction: hello,
  })
  assert.deepEqual(readCountRequest({ contents: [hello], system_instruction: hello }, model), {
    contents: [hello],
    systemInstruction: hello,
  })
})

test('a count names its own message in what it refuses', () => {
  assert.equal(
    refusal(() => readCountRequest({}, model)).message,
    '* CountTokensRequest.contents: contents is not specified\n',
  )
  assert.equal(
    refusal(() => readCountRequest({ generateContentRequest: {} }, model)).message,
    '* CountTokensRequest.generate_content_request.contents: contents is not specified\n',
  )
  assert.equal(
    refusal(() =>
      readCountRequest({ contents: [hello], generateContentRequest: { contents: [hello] } }, model),
    ).message,
    '* CountTokensRequest.contents: give contents or generate_content_request, not both.\n',
  )
})

test('one content is embedded with its options in either place', () => {
  const options = { taskType: 'RETRIEVAL_DOCUMENT', title: 't', outputDimensionality: 4 }
  const input = { content: { parts: [{ text: 'hi' }] }, ...options }
  assert.deepEqual(readEmbedRequest({ model: 'models/tiny', ...input }, model), input)
  assert.deepEqual(
    readEmbedRequest({ content: { parts: [{ text: 'hi' }] }, embed_content_config: options }, model),
    input,
  )
})

test('what an embedding cannot honour is refused by name', () => {
  const failure = refusal(() =>
    readEmbedRequest(
      { model: 'models/other', outputDimensionality: 0, autoTruncate: false, documentOcr: true },
      model,
    ),
  )
  assert.equal(
    failure.message,
    [
      '* EmbedContentRequest.model: model must be the model of the path, models/tiny.',
      '* EmbedContentRequest.content.parts: contents.parts must not be empty.',
      '* EmbedContentRequest.output_dimensionality: output_dimensionality must be positive.',
      '* EmbedContentRequest.auto_truncate: auto_truncate cannot be switched off here.',
      '* EmbedContentRequest: document_ocr and audio_track_extraction are not supported here.',
      '',
    ].join('\n'),
  )
})

test('a batch is a list of contents for the model of the path', () => {
  const request = { model: 'models/tiny', content: hello, taskType: 'TASK_TYPE_UNSPECIFIED' }
  assert.deepEqual(readBatchEmbedRequest({ requests: [request, request] }, model), [
    { content: hello },
    { content: hello },
  ])
  assert.equal(
    refusal(() => readBatchEmbedRequest({ requests: [request, { ...request, model: 'models/b' }] }, model))
      .message,
    '* BatchEmbedContentsRequest.requests[1].model: model must be the model of the path, models/tiny.\n',
  )
  assert.equal(
    refusal(() => readBatchEmbedRequest({}, model)).message,
    '* BatchEmbedContentsRequest.requests: requests is not specified\n',
  )
})

test('the instances of predict are texts to embed', () => {
  const json = {
    instances: [{ content: 'hi', task_type: 'CLUSTERING', title: 't' }, { content: 'ho' }],
    parameters: { autoTruncate: true, outputDimensionality: 2 },
  }
  assert.deepEqual(readPredictRequest(json), [
    { content: { parts: [{ text: 'hi' }] }, taskType: 'CLUSTERING', title: 't', outputDimensionality: 2 },
    { content: { parts: [{ text: 'ho' }] }, outputDimensionality: 2 },
  ])
  assert.equal(
    refusal(() => readPredictRequest({ instances: [{}] })).message,
    '* PredictRequest.instances[0].content.parts: contents.parts must not be empty.\n',
  )
  assert.equal(
    refusal(() => readPredictRequest({})).message,
    '* PredictRequest.instances: instances is not specified\n',
  )
})

test('a batch has at most 100 requests', () => {
  const request = { model: 'models/tiny', content: hello }
  const requests = Array.from({ length: 100 }, () => request)
  assert.equal(readBatchEmbedRequest({ requests }, model).length, 100)
  const failure = refusal(() => readBatchEmbedRequest({ requests: [...requests, request] }, model))
  assert.equal(
    failure.message,
    '* BatchEmbedContentsRequest.requests: at most 100 can be in one request, and there are 101\n',
  )
  assert.equal(failure.field, 'BatchEmbedContentsRequest.requests')
})

test('a predict has at most 250 instances', () => {
  const instances = Array.from({ length: 250 }, () => ({ content: 'hi' }))
  assert.equal(readPredictRequest({ instances }).length, 250)
  const failure = refusal(() => readPredictRequest({ instances: [...instances, { content: 'hi' }] }))
  assert.equal(
    failure.message,
    '* PredictRequest.instances: at most 250 can be in one request, and there are 251\n',
  )
  assert.equal(failure.field, 'PredictRequest.instances')
})
