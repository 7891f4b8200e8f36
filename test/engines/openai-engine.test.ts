import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { GenerateRequest } from '../../src/engines/content.ts'
import { startOpenaiServer } from '../openai-server/openai-server.ts'
import { apiKey, callWith, ended, engineFor, lastOf, said, textOf } from './openai-calls.ts'

const server = await startOpenaiServer()
after(() => server[Symbol.asyncDispose]())

test('an answer is streamed in pieces, and the last one carries the usage', async (t) => {
  const { engine } = await engineFor(t, { server })
  const pieces = await ended(engine, said('Once upon a time'))
  assert.deepEqual(
    pieces.slice(0, -1),
    [' Once', ' upon', ' a', ' time'].map((text, index) => piece(index === 0 ? 'Once' : text)),
  )
  assert.deepEqual(pieces.at(-1), {
    candidates: [{ index: 0, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 4, totalTokenCount: 10 },
  })
  assert.deepEqual((await server.last()).body.stream_options, { include_usage: true })
})

test('an answer that is not to be streamed is one piece, from one plain call', async (t) => {
  const { engine } = await engineFor(t, { server })
  assert.deepEqual(await ended(engine, said('Once upon'), { isStream: false }), [
    {
      candidates: [
        { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [{ text: 'Once upon' }] } },
      ],
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 },
    },
  ])
  assert.equal((await server.last()).body.stream, undefined)
})

test('a server that cannot stream is understood all the same', async (t) => {
  const { engine } = await engineFor(t, { server, model: 'no-stream' })
  const pieces = await ended(engine, said('Once upon'))
  assert.deepEqual([pieces.length, textOf(pieces)], [1, 'Once upon'])
})

test('limits on length and stop sequences end the answer as they do upstream', async (t) => {
  const { engine } = await engineFor(t, { server })
  const cut = await ended(engine, said('one two three four', { maxOutputTokens: 2 }))
  assert.deepEqual([textOf(cut), lastOf(cut).finishReason], ['one two', 'MAX_TOKENS'])
  const stopped = await ended(engine, said('one two three four', { stopSequences: [' three'] }))
  assert.deepEqual([textOf(stopped), lastOf(stopped).finishReason], ['one two', 'STOP'])
})

test('several candidates keep their index, streamed or not', async (t) => {
  const { engine } = await engineFor(t, { server })
  for (const isStream of [true, false]) {
    const pieces = await ended(engine, said('a b', { candidateCount: 2 }), { isStream })
    assert.deepEqual([textOf(pieces, 0), textOf(pieces, 1)], ['a b', 'a b'])
    assert.deepEqual(
      pieces.at(-1)?.candidates.map(({ index, finishReason }) => [index, finishReason]),
      [
        [0, 'STOP'],
        [1, 'STOP'],
      ],
    )
  }
})

test('functions are called, answered and then spoken about', async (t) => {
  const { engine } = await engineFor(t, { server, model: 'tools' })
  const tools = [{ functionDeclarations: [{ name: 'get_weather' }, { name: 'get_time' }] }]
  const request: GenerateRequest = { ...said('Zürich?'), tools }
  for (const isStream of [true, false]) {
    const answer = lastOf(await ended(engine, request, { isStream }))
    assert.deepEqual(answer, {
      index: 0,
      finishReason: 'STOP',
      content: {
        role: 'model',
        parts: [
          { functionCall: { id: 'call_0', name: 'get_weather', args: { city: 'Zürich', days: 1 } } },
          { functionCall: { id: 'call_1', name: 'get_time', args: { city: 'Zürich', days: 2 } } },
        ],
      },
    })
    const responses = ['get_weather', 'get_time'].map((name) => ({
      functionResponse: { name, response: { output: `${name} fine` } },
    }))
    const contents = [
      ...request.contents,
      ...(answer.content === undefined ? [] : [answer.content]),
      { role: 'user', parts: responses },
    ]
    const spoken = await ended(engine, { contents, tools }, { isStream })
    assert.equal(textOf(spoken), '{"output":"get_time fine"}')
  }
})

test('one function can be forced by its name', async (t) => {
  const { engine } = await engineFor(t, { server, model: 'tools' })
  const tools = [{ functionDeclarations: [{ name: 'get_weather' }, { name: 'get_time' }] }]
  const toolConfig = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['get_time'] } }
  const answer = lastOf(await ended(engine, { ...said('Zürich?'), tools, toolConfig }))
  assert.deepEqual(
    answer.content?.parts.map(({ functionCall }) => functionCall?.name),
    ['get_time'],
  )
})

test('an answer follows the response schema', async (t) => {
  const { engine } = await engineFor(t, { server })
  const responseSchema = {
    type: 'OBJECT',
    properties: {
      name: { type: 'STRING', enum: ['Ada'] },
      ages: { type: 'ARRAY', items: { type: 'INTEGER' } },
    },
    required: ['name', 'ages'],
  }
  const pieces = await ended(engine, said('Who?', { responseMimeType: 'application/json', responseSchema }))
  assert.deepEqual(JSON.parse(textOf(pieces)), { name: 'Ada', ages: [1] })
})

test('images and audio arrive', async (t) => {
  const { engine } = await engineFor(t, { server })
  const parts = [
    { text: 'See ' },
    { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
    { inlineData: { mimeType: 'audio/wav', data: 'UklGRiQAAABX' } },
  ]
  assert.match(
    textOf(await ended(engine, { contents: [{ role: 'user', parts }] })),
    /^See \[image\/png 12\]\[/,
  )
  assert.match(
    JSON.stringify((await server.last()).body),
    /"input_audio":\{"data":"UklGRiQAAABX","format":"wav"\}/,
  )
})

test('thoughts are shown to those who ask for them, and counted in any case', async (t) => {
  const { engine } = await engineFor(t, { server })
  for (const includeThoughts of [true, false]) {
    const pieces = await ended(
      engine,
      said('a b', { thinkingConfig: { includeThoughts, thinkingLevel: 'LOW' } }),
    )
    const thoughts = pieces
      .flatMap(({ candidates }) => candidates[0]?.content?.parts ?? [])
      .filter((part) => part.thought)
    assert.deepEqual(thoughts, includeThoughts ? [{ text: 'effort "low"', thought: true }] : [])
    const { candidatesTokenCount, thoughtsTokenCount } = pieces.at(-1)?.usageMetadata ?? {}
    assert.deepEqual([candidatesTokenCount, thoughtsTokenCount], [2, 1])
  }
})

test('log probabilities come in the words of the Gemini wire', async (t) => {
  const { engine } = await engineFor(t, { server })
  const [answer] = await ended(engine, said('a', { responseLogprobs: true, logprobs: 2 }), {
    isStream: false,
  })
  assert.partialDeepStrictEqual(answer?.candidates[0], {
    avgLogprobs: -0.5,
    logprobsResult: {
      chosenCandidates: [{ token: 'a', logProbability: -0.5 }],
      topCandidates: [
        {
          candidates: [
            { token: 't0', logProbability: 0 },
            { token: 't1', logProbability: -1 },
          ],
        },
      ],
    },
  })
})

test('a refusal of the model is a matter of safety', async (t) => {
  const { engine } = await engineFor(t, { server, model: 'refuses' })
  for (const isStream of [true, false]) {
    const answer = lastOf(await ended(engine, said('Do it'), { isStream }))
    assert.deepEqual([answer.finishReason, answer.finishMessage], ['SAFETY', "I'm sorry, I cannot."])
  }
})

test('an answer without usage is whole, and the log says what is missing', async (t) => {
  const { engine, lines } = await engineFor(t, { server, model: 'no-usage' })
  const pieces = await ended(engine, said('a b'))
  assert.deepEqual([textOf(pieces), pieces.at(-1)?.usageMetadata], ['a b', undefined])
  assert.match(lines.join(''), /did not say what the answer used/)
})

test('our key and the id of the request are sent, and nothing of the kind without a key', async (t) => {
  const { engine } = await engineFor(t, { server, kind: 'openai', apiKey })
  await ended(engine, said('a'), { requestId: 'req-77' })
  const { headers } = await server.last()
  assert.deepEqual([headers.authorization, headers['x-request-id']], [`Bearer ${apiKey}`, 'req-77'])
  const { engine: open } = await engineFor(t, { server })
  await ended(open, said('a'))
  assert.equal((await server.last()).headers.authorization, undefined)
})

test('vLLM counts a conversation with its tools, and llama.cpp a text that it made of it', async (t) => {
  const request = { ...said('one two three'), tools: [{ functionDeclarations: [{ name: 'f' }] }] }
  for (const kind of ['vllm', 'llama'] as const) {
    const { engine } = await engineFor(t, { server, kind })
    assert.deepEqual(await engine.countTokens(request, callWith()), { totalTokens: 6 }, kind)
  }
})

test('a server without a tokenizer cannot count, and is never made to generate for it', async (t) => {
  const { engine } = await engineFor(t, { server, kind: 'openai', apiKey })
  await assert.rejects(engine.countTokens(said('a'), callWith()), {
    code: 'not-found',
    reason: 'operation_unsupported',
  })
  assert.equal((await server.last()).path, '/openai/tokenize')
})

test('llama.cpp is not asked to count what it cannot', async (t) => {
  const { engine } = await engineFor(t, { server, kind: 'llama' })
  const contents = [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] }]
  await assert.rejects(engine.countTokens({ contents }, callWith()), { code: 'invalid-request' })
})

test('embeddings come in the order of their inputs, and their counts add up', async (t) => {
  const { engine } = await engineFor(t, { server })
  const inputs = ['a', 'bb cc', 'dddd'].map((text) => ({
    content: { parts: [{ text }] },
    outputDimensionality: 2,
  }))
  const embeddings = await engine.embed(inputs, callWith())
  assert.deepEqual(
    embeddings.map(({ values }) => values),
    [
      [1 / 64, 2 / 64],
      [5 / 64, 6 / 64],
      [4 / 64, 5 / 64],
    ],
  )
  assert.equal(
    embeddings.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
    4,
  )
  assert.deepEqual(await engine.embed([], callWith()), [])
})

test('what an embedding cannot be asked for is refused by name', async (t) => {
  const { engine } = await engineFor(t, { server })
  const content = { parts: [{ text: 'a' }] }
  const refused = [
    [/^requests\[0\]\.taskType: /, [{ content, taskType: 'RETRIEVAL_QUERY' }]],
    [/^requests\[0\]\.title: /, [{ content, title: 'x' }]],
    [/^requests\[1\]\.outputDimensionality: /, [{ content }, { content, outputDimensionality: 3 }]],
    [/^requests\[0\]\.content: /, [{ content: {} }]],
    [/^requests\[0\]\.content\.parts\[0\]\.inlineData: /, [{ content: { parts: [{ inlineData: {} }] } }]],
  ] as const
  for (const [message, inputs] of refused)
    await assert.rejects(engine.embed(inputs, callWith()), { code: 'invalid-request', message })
  const { engine: lenient } = await engineFor(t, { server, dialect: { ignored: ['taskType'] } })
  assert.equal(
    (await lenient.embed([{ content, taskType: 'RETRIEVAL_QUERY', title: 'x' }], callWith())).length,
    1,
  )
})

test('too few embeddings are no answer', async (t) => {
  const { engine } = await engineFor(t, { server, model: 'short' })
  await assert.rejects(engine.embed([{ content: { parts: [{ text: 'a' }] } }], callWith()), {
    code: 'unavailable',
  })
})

function piece(text: string): unknown {
  return { candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }
}
