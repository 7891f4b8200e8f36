import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { FunctionCallingConfigMode, type GenerateContentResponse, GoogleGenAI, Type } from '@google/genai'
import { houseAddress, startHouse } from './house.ts'

const house = await startHouse(await houseAddress())
after(() => house[Symbol.asyncDispose]())
const apiKey = await house.key()
const httpOptions = { baseUrl: house.url }
const ai = new GoogleGenAI({ apiKey, httpOptions })
const short = { maxOutputTokens: 6, temperature: 0, seed: 7 }

function textOf({ text }: GenerateContentResponse): string {
  return text ?? ''
}

test('generate: text, finish reason, true counts, version and id', async () => {
  const answer = await ai.models.generateContent({ model: 'tiny', contents: 'Once upon a', config: short })
  assert.equal(answer.text, ' time, there was a little')
  assert.equal(answer.candidates?.[0]?.finishReason, 'MAX_TOKENS')
  assert.equal(answer.candidates?.[0]?.content?.role, 'model')
  const { promptTokenCount, candidatesTokenCount, totalTokenCount } = answer.usageMetadata ?? {}
  assert.deepEqual([promptTokenCount, candidatesTokenCount, totalTokenCount], [4, 6, 10])
  assert.equal(answer.modelVersion, 'stories15M')
  assert.match(answer.responseId ?? '', /^[\w-]{10,}$/)
})

test('stream: the pieces together are the whole answer, and the last one has the counts', async () => {
  const order = { model: 'tiny', contents: 'Once upon a', config: short }
  const pieces: GenerateContentResponse[] = []
  for await (const piece of await ai.models.generateContentStream(order)) pieces.push(piece)
  assert.ok(pieces.length > 1)
  assert.equal(pieces.map(textOf).join(''), ' time, there was a little')
  assert.equal(pieces.at(-1)?.candidates?.[0]?.finishReason, 'MAX_TOKENS')
  assert.equal(pieces.at(-1)?.usageMetadata?.candidatesTokenCount, 6)
  assert.equal(new Set(pieces.map(({ responseId }) => responseId)).size, 1)
})

test('stream: both framings, as they are on the wire', async () => {
  const body = JSON.stringify({ contents: [{ parts: [{ text: 'Once upon a' }] }], generationConfig: short })
  const headers = { 'x-goog-api-key': apiKey, 'content-type': 'application/json' }
  const ask = `${house.url}/v1beta/models/tiny:streamGenerateContent`
  const list = await fetch(ask, { method: 'POST', headers, body })
  assert.equal(list.headers.get('content-type'), 'application/json; charset=UTF-8')
  const pieces = Object(await list.json())
  const events = await fetch(`${ask}?alt=sse`, { method: 'POST', headers, body })
  assert.equal(events.headers.get('content-type'), 'text/event-stream')
  const lines = (await events.text()).split('\r\n\r\n')
  assert.equal(lines.pop(), '')
  const told = lines.map((line) => JSON.parse(line.slice('data: '.length)))
  for (const all of [pieces, told])
    assert.equal(
      all.map((piece: GenerateContentResponse) => piece.candidates?.[0]?.content?.parts?.[0]?.text).join(''),
      ' time, there was a little',
    )
})

test('one key in both headers, as the Gemini CLI can send it, is one credential', async () => {
  const headers = { 'x-goog-api-key': apiKey, authorization: `Bearer ${apiKey}` }
  assert.equal((await fetch(`${house.url}/v1beta/models`, { headers })).status, 200)
})

test('a key in the URL works, and the log warns of it without showing it', async () => {
  const response = await fetch(`${house.url}/v1beta/models?key=${apiKey}`)
  assert.equal(response.status, 200)
  const logged = await house.gateway.says('API keys come in the URL')
  assert.ok(!logged.includes(apiKey))
})

test('chat: the second turn is answered from the whole history', async () => {
  const chat = ai.chats.create({ model: 'tiny', config: { ...short, systemInstruction: 'A story.' } })
  await chat.sendMessage({ message: 'Tom had a red ball.' })
  const pieces: string[] = []
  for await (const piece of await chat.sendMessageStream({ message: 'He lost the' }))
    pieces.push(textOf(piece))
  assert.notEqual(pieces.join(''), '')
  // The SDK keeps each piece of a streamed answer as a turn of its own.
  const roles = chat.getHistory().map(({ role }) => role)
  assert.deepEqual(roles.slice(0, 4), ['user', 'model', 'user', 'model'])
  const alone = await ai.models.countTokens({ model: 'tiny', contents: 'He lost the' })
  const all = await ai.models.countTokens({ model: 'tiny', contents: chat.getHistory() })
  assert.ok(Number(all.totalTokens) > Number(alone.totalTokens) + 10)
})

const weather = {
  name: 'get_weather',
  description: 'The weather of a place',
  parameters: {
    type: Type.OBJECT,
    properties: { city: { type: Type.STRING }, days: { type: Type.INTEGER, minimum: 1, maximum: 5 } },
    required: ['city', 'days'],
  },
}

test('function calling: a call of the declared form comes out, and its response goes back in', async () => {
  const tools = [{ functionDeclarations: [weather] }]
  const toolConfig = { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } }
  const question = { role: 'user', parts: [{ text: 'The weather in the park?' }] }
  const asked = await ai.models.generateContent({
    model: 'tiny',
    contents: [question],
    config: { tools, toolConfig, seed: 3 },
  })
  const [call] = asked.functionCalls ?? []
  assert.equal(call?.name, 'get_weather')
  assert.equal(typeof call?.args?.city, 'string')
  assert.ok(Number.isInteger(call?.args?.days))
  const contents = [
    question,
    { role: 'model', parts: [{ functionCall: { ...call } }] },
    { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { sky: 'blue' } } }] },
  ]
  const told = await ai.models.generateContent({ model: 'tiny', contents, config: { ...short, tools } })
  assert.equal(told.functionCalls, undefined)
  assert.notEqual(textOf(told), '')
})

test('JSON schema: the answer is JSON of the schema, in both spellings', async () => {
  for (const schema of [
    { responseSchema: { type: Type.OBJECT, properties: { age: { type: Type.INTEGER } }, required: ['age'] } },
    {
      responseJsonSchema: {
        type: 'object',
        properties: { age: { type: 'integer' } },
        required: ['age'],
      },
    },
  ]) {
    const answer = await ai.models.generateContent({
      model: 'tiny',
      contents: 'How old is Lily?',
      config: { responseMimeType: 'application/json', seed: 5, ...schema },
    })
    const told: unknown = JSON.parse(textOf(answer))
    assert.deepEqual(Object.keys(Object(told)), ['age'])
    assert.ok(Number.isInteger(Object(told).age))
  }
})

test('countTokens counts as the model does', async () => {
  const { totalTokens } = await ai.models.countTokens({ model: 'tiny', contents: 'Once upon a' })
  assert.equal(totalTokens, 4)
})

test('embedContent: one vector for each text, near for near texts', async () => {
  const contents = ['a dog in the garden', 'a puppy on the lawn', 'tax law of 1998']
  const { embeddings = [] } = await ai.models.embedContent({ model: 'gemini-embedding-001', contents })
  const [dog = [], puppy = [], tax = []] = embeddings.map(({ values }) => values ?? [])
  assert.deepEqual([dog.length, puppy.length, tax.length], [384, 384, 384])
  const likeness = (other: readonly number[]): number =>
    dog.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
  assert.ok(likeness(puppy) > likeness(tax) + 0.2)
  const cut = await ai.models.embedContent({
    model: 'text-embedding-004',
    contents: 'a dog',
    config: { outputDimensionality: 8, taskType: 'RETRIEVAL_QUERY' },
  })
  assert.equal(cut.embeddings?.[0]?.values?.length, 8)
})

test('models: a list in pages of one, and each of them by its name', async () => {
  const pager = await ai.models.list({ config: { pageSize: 1 } })
  assert.equal(pager.pageLength, 1)
  assert.ok(pager.hasNextPage())
  const names: (string | undefined)[] = []
  for await (const { name } of pager) names.push(name)
  assert.deepEqual(names, ['models/tale', 'models/tiny'])
  const model = await ai.models.get({ model: 'tiny' })
  assert.equal(model.name, 'models/tiny')
  assert.equal(model.inputTokenLimit, 192)
  assert.ok(model.supportedActions?.includes('generateContent'))
  assert.equal((await ai.models.get({ model: 'gemini-3.5-flash' })).name, 'models/gemini-3.5-flash')
})

test('a name that clients have built in is answered by its alias', async () => {
  const { modelVersion } = await ai.models.generateContent({
    model: 'gemini-3.5-flash',
    contents: 'hi',
    config: short,
  })
  assert.equal(modelVersion, 'stories15M')
})

test('the other versions of the API are the same one', async () => {
  for (const apiVersion of ['v1', 'v1alpha']) {
    const other = new GoogleGenAI({ apiKey, apiVersion, httpOptions })
    const { totalTokens } = await other.models.countTokens({ model: 'tiny', contents: 'Once upon a' })
    assert.equal(totalTokens, 4)
  }
})

const good = apiKey
const bad = 'of-nobody'

/** The first that is set counts; the SDK warns when both are. */
const environments = [
  { what: 'GEMINI_API_KEY alone', env: { GEMINI_API_KEY: good }, works: true },
  { what: 'GOOGLE_API_KEY alone', env: { GOOGLE_API_KEY: good }, works: true },
  {
    what: 'GOOGLE_API_KEY over GEMINI_API_KEY',
    env: { GOOGLE_API_KEY: good, GEMINI_API_KEY: bad },
    works: true,
  },
  {
    what: 'GOOGLE_API_KEY over GEMINI_API_KEY, if bad',
    env: { GOOGLE_API_KEY: bad, GEMINI_API_KEY: good },
    works: false,
  },
  {
    what: 'GEMINI_API_KEY when the other is empty',
    env: { GOOGLE_API_KEY: '', GEMINI_API_KEY: good },
    works: true,
  },
  {
    what: 'the key of the program over both',
    env: { GOOGLE_API_KEY: bad, GEMINI_API_KEY: bad },
    apiKey,
    works: true,
  },
] as const

for (const { what, env, works, ...options } of environments)
  test(`environment: ${what}`, async (t) => {
    t.mock.method(console, 'warn', () => undefined)
    const all = { GOOGLE_API_KEY: '', GEMINI_API_KEY: '', ...env, GOOGLE_GEMINI_BASE_URL: house.url }
    Object.assign(process.env, all)
    t.after(() => {
      for (const name of Object.keys(all)) delete process.env[name]
    })
    const client = new GoogleGenAI(options)
    const counted = client.models.countTokens({ model: 'tiny', contents: 'Once upon a' })
    if (works) assert.equal((await counted).totalTokens, 4)
    else await assert.rejects(counted, { name: 'ApiError', status: 400 })
  })
