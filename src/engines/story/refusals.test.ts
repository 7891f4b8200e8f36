import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../failure/failure.ts'
import type { GenerateRequest, Part, Tool } from '../content.ts'
import { refuseUnknownAbilities } from './refusals.ts'

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]

const part = (content: Part): GenerateRequest => ({
  contents: [...contents, { parts: [{ text: 'a' }, content] }],
})
const tool = (extra: Tool): GenerateRequest => ({ contents, tools: [extra] })

const refused: readonly (readonly [GenerateRequest, string])[] = [
  [{ contents: [] }, 'contents'],
  [{ contents, cachedContent: 'cachedContents/1' }, 'cachedContent'],
  [part({ inlineData: { mimeType: 'image/png', data: '' } }), 'contents[1].parts[1].inlineData'],
  [part({ fileData: { fileUri: 'x' } }), 'contents[1].parts[1].fileData'],
  [part({ executableCode: {} }), 'contents[1].parts[1].executableCode'],
  [part({ codeExecutionResult: {} }), 'contents[1].parts[1].codeExecutionResult'],
  [{ contents, systemInstruction: { parts: [{ inlineData: {} }] } }, 'systemInstruction.parts[0].inlineData'],
  [tool({ googleSearch: {} }), 'tools[0].googleSearch'],
  [tool({ googleSearchRetrieval: {} }), 'tools[0].googleSearchRetrieval'],
  [tool({ codeExecution: {} }), 'tools[0].codeExecution'],
  [tool({ urlContext: {} }), 'tools[0].urlContext'],
  [tool({ fileSearch: {} }), 'tools[0].fileSearch'],
  [tool({ computerUse: {} }), 'tools[0].computerUse'],
  [tool({ googleMaps: {} }), 'tools[0].googleMaps'],
  [{ contents, toolConfig: { retrievalConfig: {} } }, 'toolConfig.retrievalConfig'],
  [
    { contents, generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
    'generationConfig.responseModalities',
  ],
  [{ contents, generationConfig: { speechConfig: {} } }, 'generationConfig.speechConfig'],
  [{ contents, generationConfig: { imageConfig: {} } }, 'generationConfig.imageConfig'],
  [{ contents, generationConfig: { responseLogprobs: true } }, 'generationConfig.responseLogprobs'],
  [{ contents, generationConfig: { logprobs: 3 } }, 'generationConfig.logprobs'],
  [
    { contents, generationConfig: { enableEnhancedCivicAnswers: true } },
    'generationConfig.enableEnhancedCivicAnswers',
  ],
]

for (const [request, field] of refused)
  test(`${field} is refused by name`, () => {
    assert.throws(
      () => refuseUnknownAbilities(request, 'tiny'),
      (error) =>
        error instanceof Failure &&
        error.code === 'invalid-request' &&
        error.field === `GenerateContentRequest.${field}` &&
        error.message.startsWith(`GenerateContentRequest.${field}: the model "tiny" `),
    )
  })

test('what asks for nothing that is missing is accepted', () => {
  refuseUnknownAbilities(
    {
      contents,
      tools: [{ functionDeclarations: [{ name: 'get' }] }],
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      generationConfig: {
        responseModalities: ['TEXT'],
        responseLogprobs: false,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 8192 },
        mediaResolution: 'MEDIA_RESOLUTION_LOW',
      },
    },
    'tiny',
  )
})

test('a modality that is no text is refused, and what it calls toString is never called', () => {
  const generationConfig = JSON.parse('{"responseModalities":[{"toString":"","valueOf":""}]}')
  assert.throws(() => refuseUnknownAbilities({ contents, generationConfig }, 'tiny'), {
    code: 'invalid-request',
  })
})
