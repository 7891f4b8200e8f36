import type { GenerateRequest, GenerationConfig } from '../engines/content.ts'
import { anything, choice, flag, float, int32, type Kind, struct, text } from './json-kinds.ts'
import { list, message } from './json-message.ts'
import { schema } from './request-schema.ts'

export const generationConfig: Kind<GenerationConfig> = message('GenerationConfig', {
  candidateCount: int32,
  stopSequences: list(text),
  maxOutputTokens: int32,
  temperature: float,
  topP: float,
  // An int32 in the Gemini API, but a float in Vertex AI.
  topK: float,
  seed: int32,
  responseMimeType: text,
  responseSchema: schema,
  responseJsonSchema: anything,
  presencePenalty: float,
  frequencyPenalty: float,
  responseLogprobs: flag,
  logprobs: int32,
  responseModalities: list(
    choice('GenerationConfig.Modality', ['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'AUDIO', 'VIDEO']),
  ),
  speechConfig: struct,
  thinkingConfig: message('ThinkingConfig', {
    includeThoughts: flag,
    thinkingBudget: int32,
    thinkingLevel: choice('ThinkingConfig.ThinkingLevel', [
      'THINKING_LEVEL_UNSPECIFIED',
      'MINIMAL',
      'LOW',
      'MEDIUM',
      'HIGH',
    ]),
  }),
  imageConfig: struct,
  mediaResolution: choice(
    'GenerationConfig.MediaResolution',
    [
      'MEDIA_RESOLUTION_UNSPECIFIED',
      'MEDIA_RESOLUTION_LOW',
      'MEDIA_RESOLUTION_MEDIUM',
      'MEDIA_RESOLUTION_HIGH',
    ],
    true,
  ),
  enableEnhancedCivicAnswers: flag,
  audioTimestamp: flag,
  audioTranscriptionConfig: struct,
  enableAffectiveDialog: flag,
  modelConfig: struct,
  modelSelectionConfig: struct,
  responseFormat: anything,
  routingConfig: struct,
  translationConfig: struct,
})

export const safetySettings: Kind<NonNullable<GenerateRequest['safetySettings']>> = list(
  message('SafetySetting', {
    category: choice(
      'HarmCategory',
      [
        'HARM_CATEGORY_UNSPECIFIED',
        'HARM_CATEGORY_DEROGATORY',
        'HARM_CATEGORY_TOXICITY',
        'HARM_CATEGORY_VIOLENCE',
        'HARM_CATEGORY_SEXUAL',
        'HARM_CATEGORY_MEDICAL',
        'HARM_CATEGORY_DANGEROUS',
        'HARM_CATEGORY_HARASSMENT',
        'HARM_CATEGORY_HATE_SPEECH',
        'HARM_CATEGORY_SEXUALLY_EXPLICIT',
        'HARM_CATEGORY_DANGEROUS_CONTENT',
        'HARM_CATEGORY_CIVIC_INTEGRITY',
        'HARM_CATEGORY_JAILBREAK',
        'HARM_CATEGORY_IMAGE_HATE',
        'HARM_CATEGORY_IMAGE_DANGEROUS_CONTENT',
        'HARM_CATEGORY_IMAGE_HARASSMENT',
        'HARM_CATEGORY_IMAGE_SEXUALLY_EXPLICIT',
      ],
      true,
    ),
    threshold: choice(
      'SafetySetting.HarmBlockThreshold',
      [
        'HARM_BLOCK_THRESHOLD_UNSPECIFIED',
        'BLOCK_LOW_AND_ABOVE',
        'BLOCK_MEDIUM_AND_ABOVE',
        'BLOCK_ONLY_HIGH',
        'BLOCK_NONE',
        'OFF',
      ],
      true,
    ),
    method: choice('SafetySetting.HarmBlockMethod', [
      'HARM_BLOCK_METHOD_UNSPECIFIED',
      'SEVERITY',
      'PROBABILITY',
    ]),
  }),
)
