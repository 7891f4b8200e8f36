import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import type { Content, Part } from '../content.ts'
import { type ChatMessage, chatMessages } from './messages.ts'

const plain = { sendsReasoning: false }

function messagesOf(...contents: readonly Content[]): readonly ChatMessage[] {
  return chatMessages({ contents }, plain)
}

test('user and model become user and assistant, and the instruction the system', () => {
  const messages = chatMessages(
    {
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
      contents: [
        { parts: [{ text: 'Hi' }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
        { role: 'user', parts: [{ text: 'Bye' }] },
      ],
    },
    plain,
  )
  assert.deepEqual(messages, [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'Bye' },
  ])
})

test('several parts of a user stay apart, with images and audio in their places', () => {
  const parts = [
    { text: 'Look:' },
    { inlineData: { mimeType: 'image/PNG', data: 'ab-_' } },
    { inlineData: { mimeType: 'audio/mpeg', data: 'AAAA' } },
    { text: 'What is it?' },
  ]
  assert.deepEqual(messagesOf({ role: 'user', parts }), [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,ab+/' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
        { type: 'text', text: 'What is it?' },
      ],
    },
  ])
})

test('the contents of a streamed answer become one turn again', () => {
  const messages = messagesOf(
    { role: 'user', parts: [{ text: 'Hi' }] },
    { role: 'model', parts: [{ text: 'Hel' }, { text: 'lo' }] },
    { role: 'model', parts: [{ text: ' you' }] },
    { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f', args: { x: 1 } } }] },
    { role: 'model', parts: [{ functionCall: { id: 'b', name: 'g' } }] },
    { role: 'model' },
  )
  assert.deepEqual(messages.slice(1), [
    {
      role: 'assistant',
      content: 'Hello you',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    },
  ])
})

test('nothing stands between a call and its response, also when the model went on talking', () => {
  const messages = messagesOf(
    { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }] },
    { role: 'model', parts: [{ text: 'Let me see.' }] },
    { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: {} } }] },
  )
  assert.deepEqual(messages, [
    {
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: '{}' },
  ])
})

test('calls without ids get some, and responses find them by name and order', () => {
  const messages = messagesOf(
    {
      role: 'model',
      parts: [
        { functionCall: { name: 'f' } },
        { functionCall: { name: 'f' } },
        { functionCall: { name: 'g' } },
      ],
    },
    {
      role: 'user',
      parts: [
        { text: 'Here:' },
        { functionResponse: { name: 'g', response: { output: 3 } } },
        { functionResponse: { name: 'f', response: { output: 1 } } },
        { functionResponse: { name: 'f', response: { output: 2 } } },
      ],
    },
  )
  const calls = messages[0]?.role === 'assistant' ? (messages[0].tool_calls ?? []) : []
  const [first, second, third] = calls.map(({ id }) => id)
  assert.deepEqual([first, second, third], ['call00000', 'call00001', 'call00002'])
  assert.deepEqual(messages.slice(1), [
    { role: 'tool', tool_call_id: third, content: '{"output":3}' },
    { role: 'tool', tool_call_id: first, content: '{"output":1}' },
    { role: 'tool', tool_call_id: second, content: '{"output":2}' },
    { role: 'user', content: 'Here:' },
  ])
})

test('an invented id never meets a given one', () => {
  const [message] = messagesOf({
    role: 'model',
    parts: [{ functionCall: { name: 'f' } }, { functionCall: { id: 'call00000', name: 'g' } }],
  })
  const calls = message?.role === 'assistant' ? (message.tool_calls ?? []) : []
  assert.deepEqual(
    calls.map(({ id }) => id),
    ['call00001', 'call00000'],
  )
})

test('a response with an id prefers the call with that id, and takes one without id by name', () => {
  const messages = messagesOf(
    { role: 'model', parts: [{ functionCall: { name: 'f' } }, { functionCall: { id: 'x', name: 'f' } }] },
    {
      role: 'function',
      parts: [{ functionResponse: { id: 'x', name: 'f' } }, { functionResponse: { id: 'y', name: 'f' } }],
    },
  )
  assert.deepEqual(messages.slice(1), [
    { role: 'tool', tool_call_id: 'x', content: '{}' },
    { role: 'tool', tool_call_id: 'call00000', content: '{}' },
  ])
})

test('an id may come again once its call is answered', () => {
  const turn: readonly Content[] = [
    { role: 'model', parts: [{ functionCall: { id: 'x', name: 'f' } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'x', name: 'f' } }] },
  ]
  assert.equal(messagesOf(...turn, ...turn).length, 4)
})

test('earlier thoughts go only to servers that read them', () => {
  const contents = [
    {
      role: 'model',
      parts: [
        { text: 'Hm.', thought: true },
        { text: 'Yes.', thoughtSignature: 'abc' },
      ],
    },
  ]
  assert.deepEqual(chatMessages({ contents }, plain), [{ role: 'assistant', content: 'Yes.' }])
  assert.deepEqual(chatMessages({ contents }, { sendsReasoning: true }), [
    { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' },
  ])
})

const call = { role: 'model', parts: [{ functionCall: { id: 'x', name: 'f' } }] }
const at = 'GenerateContentRequest.contents'
const refused: readonly (readonly [string, readonly Content[]])[] = [
  [`${at}[0].role`, [{ role: 'system', parts: [{ text: 'x' }] }]],
  [`${at}[0].parts`, [{ role: 'user', parts: [] }]],
  [`${at}[0].parts[0]`, [{ role: 'user', parts: [{}] }]],
  [`${at}[0].parts[0].fileData`, [{ role: 'user', parts: [{ fileData: { fileUri: 'files/x' } }] }]],
  [`${at}[0].parts[0].executableCode`, [{ role: 'model', parts: [{ executableCode: {} }] }]],
  [`${at}[0].parts[0].codeExecutionResult`, [{ role: 'model', parts: [{ codeExecutionResult: {} }] }]],
  [`${at}[0].parts[0].videoMetadata`, [{ role: 'user', parts: [{ text: 'x', videoMetadata: {} }] }]],
  [`${at}[0].parts[0].thought`, [{ role: 'user', parts: [{ text: 'x', thought: true }] }]],
  [`${at}[0].parts[0].functionCall`, [{ role: 'user', parts: [{ functionCall: { name: 'f' } }] }]],
  [`${at}[0].parts[0].functionResponse`, [{ role: 'user', parts: [{ functionResponse: { name: 'f' } }] }]],
  [
    `${at}[1].parts[0].functionResponse`,
    [call, { role: 'user', parts: [{ functionResponse: { id: 'z', name: 'f' } }] }],
  ],
  [`${at}[1].parts[0].functionCall.id`, [call, call]],
  [`${at}[0].parts[0].functionCall.name`, [{ role: 'model', parts: [{ functionCall: {} }] }]],
  [
    `${at}[0].parts[0].inlineData`,
    [{ role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] }],
  ],
  [
    `${at}[0].parts[0].inlineData.mimeType`,
    [{ parts: [{ inlineData: { mimeType: 'application/pdf', data: 'AA==' } }] }],
  ],
  [`${at}[0].parts[0].inlineData.data`, [{ parts: [{ inlineData: { mimeType: 'image/png' } }] }]],
]

for (const [path, contents] of refused) {
  test(`${path} is refused by name: ${JSON.stringify(contents.at(-1))}`, () => {
    assert.throws(
      () => messagesOf(...contents),
      (error: unknown) =>
        error instanceof Failure && error.code === 'invalid-request' && error.message.startsWith(`${path}: `),
    )
  })
}

test('an instruction that is no text is refused by name', () => {
  assert.throws(
    () =>
      chatMessages(
        {
          contents: [],
          systemInstruction: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] },
        },
        plain,
      ),
    /^Failure: GenerateContentRequest\.systemInstruction\.parts\[0\]\.inlineData: /,
  )
})

const anyCall = { functionCall: { name: 'a' } }
const anyResponse = { functionResponse: { name: 'a', response: {} } }
const many = 40_000
const crowded: Readonly<Record<string, readonly Content[]>> = {
  'calls and their responses': [
    { role: 'model', parts: Array<Part>(many).fill(anyCall) },
    { role: 'user', parts: Array<Part>(many).fill(anyResponse) },
  ],
  'turns of a model in a row': Array<Content>(many).fill({ role: 'model', parts: [anyCall] }),
}

for (const [what, contents] of Object.entries(crowded))
  test(`very many ${what} take time in proportion to their number`, () => {
    const start = process.cpuUsage()
    chatMessages({ contents }, plain)
    assert.ok(process.cpuUsage(start).user < 10_000_000)
  })
