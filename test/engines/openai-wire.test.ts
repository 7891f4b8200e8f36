import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { AnswerPiece, Part, UsageMetadata } from '../../src/engines/content.ts'
import { AnswerReader } from '../../src/engines/openai/answer.ts'
import { streamPieces } from '../../src/engines/openai/stream.ts'
import { ended, engineFor, said } from './openai-calls.ts'

interface Recorded {
  readonly name: string
  readonly parts: readonly Part[]
  readonly calls?: readonly Part[]
  readonly finishReason: string
  readonly usage: UsageMetadata
}

const call = (id: string, name: string, args: Record<string, unknown>): Part => ({
  functionCall: { id, name, args },
})
const thought = (text: string): Part => ({ text, thought: true })

const recorded: readonly Recorded[] = [
  {
    name: 'openai-text',
    parts: [{ text: 'Grüße' }, { text: ' 🌷' }, { text: ' 語.' }],
    finishReason: 'STOP',
    usage: { promptTokenCount: 14, candidatesTokenCount: 5, cachedContentTokenCount: 8, totalTokenCount: 19 },
  },
  {
    name: 'openai-tools',
    parts: [],
    calls: [
      call('call_nL5rWm0HsBdE4fGuZCQk3xT8', 'get_weather', { city: 'Zürich' }),
      call('call_vJ2nLr5aWm0HsBdE4fGuZxT8', 'get_time', {}),
    ],
    finishReason: 'STOP',
    usage: { promptTokenCount: 81, candidatesTokenCount: 34, totalTokenCount: 115 },
  },
  {
    name: 'vllm-reasoning',
    parts: [thought('9.8 is'), thought(' 9.80 …'), { text: '\n\n9.8' }, { text: ' ≥ 9.11' }],
    finishReason: 'STOP',
    usage: { promptTokenCount: 22, candidatesTokenCount: 19, totalTokenCount: 41 },
  },
  {
    name: 'vllm-tools',
    parts: [thought('I need the weather.')],
    calls: [call('chatcmpl-tool-7a1d', 'get_weather', { city: 'München' })],
    finishReason: 'STOP',
    usage: { promptTokenCount: 160, candidatesTokenCount: 25, totalTokenCount: 185 },
  },
  {
    name: 'llama-text',
    parts: [{ text: 'Il était' }, { text: ' une fois' }],
    finishReason: 'MAX_TOKENS',
    usage: {
      promptTokenCount: 237,
      candidatesTokenCount: 3,
      cachedContentTokenCount: 236,
      totalTokenCount: 240,
    },
  },
  {
    name: 'ollama-tools',
    parts: [thought('Zwei Städte.')],
    calls: [
      call('call_1a2b', 'get_weather', { city: 'Köln' }),
      call('call_3c4d', 'get_weather', { city: 'Bonn' }),
    ],
    finishReason: 'STOP',
    usage: { promptTokenCount: 175, candidatesTokenCount: 44, totalTokenCount: 219 },
  },
  {
    name: 'proxy-text',
    parts: [{ text: 'Olá' }, { text: ' você' }],
    finishReason: 'STOP',
    usage: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  },
]

for (const record of recorded) {
  const expected = piecesOf(record)
  const text = JSON.stringify(expected)
  const bytes = readFileSync(new URL(`../openai-server/wire/${record.name}.sse`, import.meta.url))

  test(`${record.name}: the pieces are the same wherever the stream is cut in two`, async () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const pieces = await read([bytes.subarray(0, cut), bytes.subarray(cut)])
      if (JSON.stringify(pieces) !== text) assert.deepEqual(pieces, expected, `cut at byte ${cut}`)
    }
  })

  test(`${record.name}: the pieces are the same when every byte comes alone`, async () => {
    assert.deepEqual(await read(Array.from(bytes, (byte) => Uint8Array.of(byte))), expected)
  })

  test(`${record.name}: an answer that breaks off is never taken for a whole one`, async () => {
    for (let end = 0; end < finishAt(bytes); end += 17) {
      await assert.rejects(
        read([bytes.subarray(0, end)]),
        { name: 'Failure', code: 'unavailable' },
        `ends at ${end}`,
      )
    }
  })
}

test('the same streams come through a socket, byte by byte', async (t) => {
  const { server } = await engineFor(t)
  const replay = async (record: Recorded): Promise<void> => {
    const { engine } = await engineFor(t, { server, model: `replay:${record.name}` })
    const pieces = await ended(engine, said('Hi', { thinkingConfig: { includeThoughts: true } }))
    assert.deepEqual(pieces, piecesOf(record), record.name)
  }
  await Promise.all(recorded.map(replay))
})

async function read(chunks: readonly Uint8Array[]): Promise<readonly AnswerPiece[]> {
  const reader = new AnswerReader({ wantsThoughts: true })
  const pieces: AnswerPiece[] = []
  for await (const piece of streamPieces(fromList(chunks), reader, { model: 'm', now: () => 0 }))
    pieces.push(piece)
  return pieces
}

async function* fromList(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

function piecesOf({ parts, calls = [], finishReason, usage }: Recorded): readonly unknown[] {
  const last = {
    index: 0,
    ...(calls.length > 0 && { content: { role: 'model', parts: calls } }),
    finishReason,
  }
  return [
    ...parts.map((part) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] })),
    { candidates: [last], usageMetadata: usage },
  ]
}

/** Where the stream says why the answer ended: until then, it has not. */
function finishAt(bytes: Buffer): number {
  return bytes.indexOf('"finish_reason":"')
}
