import type { Content } from '../engines/content.ts'
import { anything, bytes, choice, flag, float, int32, type Kind, struct, text } from './json-kinds.ts'
import { type Fields, list, message } from './json-message.ts'

const blob = message('Blob', { mimeType: text, data: bytes, displayName: text })
const file = message('FileData', { mimeType: text, fileUri: text, displayName: text })

const functionCall = message('FunctionCall', {
  id: text,
  name: text,
  args: struct,
  partialArgs: anything,
  willContinue: flag,
})

const functionResponse = message('FunctionResponse', {
  id: text,
  name: text,
  response: struct,
  parts: list(message('FunctionResponsePart', { inlineData: blob, fileData: file, mediaProcessing: struct })),
  willContinue: flag,
  scheduling: choice('FunctionResponse.Scheduling', [
    'SCHEDULING_UNSPECIFIED',
    'SILENT',
    'WHEN_IDLE',
    'INTERRUPT',
  ]),
})

const executableCode = message('ExecutableCode', {
  id: text,
  language: choice('ExecutableCode.Language', ['LANGUAGE_UNSPECIFIED', 'PYTHON'], true),
  code: text,
})

const codeExecutionResult = message('CodeExecutionResult', {
  id: text,
  outcome: choice(
    'CodeExecutionResult.Outcome',
    ['OUTCOME_UNSPECIFIED', 'OUTCOME_OK', 'OUTCOME_FAILED', 'OUTCOME_DEADLINE_EXCEEDED'],
    true,
  ),
  output: text,
})

/** One of these is what a part is about. */
const partData = {
  text,
  inlineData: blob,
  fileData: file,
  functionCall,
  functionResponse,
  executableCode,
  codeExecutionResult,
  toolCall: message('ToolCall', { id: text, toolType: text, args: struct }),
  toolResponse: message('ToolResponse', { id: text, toolType: text, response: struct }),
  audioTranscription: struct,
} as const satisfies Fields

export const partDataNames: readonly string[] = Object.keys(partData)

export const content: Kind<Content> = message('Content', {
  role: text,
  parts: list(
    message(
      'Part',
      {
        ...partData,
        thought: flag,
        thoughtSignature: bytes,
        videoMetadata: message('VideoMetadata', { startOffset: text, endOffset: text, fps: float }),
        mediaResolution: message('MediaResolution', {
          level: choice('MediaResolution.Level', [
            'MEDIA_RESOLUTION_UNSPECIFIED',
            'MEDIA_RESOLUTION_LOW',
            'MEDIA_RESOLUTION_MEDIUM',
            'MEDIA_RESOLUTION_HIGH',
            'MEDIA_RESOLUTION_ULTRA_HIGH',
          ]),
          numTokens: int32,
        }),
        partMetadata: struct,
        mediaProcessing: struct,
        speechMetadata: struct,
      },
      { name: 'data', fields: partDataNames },
    ),
  ),
})
