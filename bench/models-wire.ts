/** What every server of the comparison is told. */
export interface ServerSettings {
  readonly port: number
  /** Scheme, host and port of the mock upstream. */
  readonly upstream: string
  /** What the clients send, for the server that checks it. */
  readonly key: string
}

/** How a call is made: the Gemini wire whole or streamed, or the OpenAI wire for the peer that speaks it. */
export type Form = 'whole' | 'stream' | 'held' | 'openai'

export const model = 'bench-model'
export const outputTokens = 60

/** How often and how long a held stream sends an event. */
export const heldEvents = 60
export const heldEveryMs = 1000

const prompt =
  'Why is the sky blue? Answer in two short sentences, for a child of eight who likes to ask back.'
const text =
  'Sunlight looks white, but it is made of many colours, and the air scatters the blue part of it more than the red part. So from wherever you look up, some of that scattered blue comes to your eyes, and the whole sky seems painted with it.'

const usageMetadata = {
  promptTokenCount: 24,
  candidatesTokenCount: outputTokens,
  totalTokenCount: 24 + outputTokens,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 24 }],
} as const

const rest = { usageMetadata, modelVersion: model, responseId: 'bench-response' } as const

/** The answer of the upstream, as the Gemini API has it. */
export const wholeAnswer: string = JSON.stringify({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
  ...rest,
})

export function streamEvent(words: string): string {
  const candidates = [{ content: { role: 'model', parts: [{ text: words }] }, index: 0 }]
  return `data: ${JSON.stringify({ candidates, ...rest })}\r\n\r\n`
}

/** One call, byte for byte as it goes over the socket. */
export function requestBytes(form: Form, { port, upstream, key }: ServerSettings): string {
  const body = JSON.stringify(form === 'openai' ? openaiBody : geminiBody)
  const headers = form === 'openai' ? openaiHeaders(upstream, key) : [`x-goog-api-key: ${key}`]
  return [
    `POST ${paths[form]} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

const paths = {
  whole: `/v1beta/models/${model}:generateContent`,
  stream: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
  held: `/v1beta/models/${model}-held:streamGenerateContent?alt=sse`,
  openai: '/v1/chat/completions',
} as const satisfies Record<Form, string>

const geminiBody = {
  contents: [{ role: 'user', parts: [{ text: prompt }] }],
  generationConfig: { temperature: 0.5, maxOutputTokens: 200 },
} as const

const openaiBody = {
  model,
  messages: [{ role: 'user', content: prompt }],
  temperature: 0.5,
  max_tokens: 200,
} as const

function openaiHeaders(upstream: string, key: string): readonly string[] {
  return [
    'x-portkey-provider: google',
    `x-portkey-custom-host: ${upstream}/v1beta`,
    `Authorization: Bearer ${key}`,
  ]
}
