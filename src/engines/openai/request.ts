import type { GenerateRequest } from '../content.ts'
import { chatMessages } from './messages.ts'
import type { IgnorableField, OpenaiDialect } from './options.ts'
import { imageDetail, settingFields } from './settings.ts'
import { toolFields } from './tools.ts'
import { refuseOthers, untranslatable } from './untranslatable.ts'
import type { JsonObject } from './values.ts'

export interface ChatTarget {
  readonly model: string
  readonly dialect: OpenaiDialect
  readonly isStream: boolean
}

const root = 'GenerateContentRequest'

/** The body of `POST /chat/completions`: all that was asked for, or a refusal that names what cannot be. */
export function chatRequest(request: GenerateRequest, { model, dialect, isStream }: ChatTarget): JsonObject {
  const asked = withoutIgnored(request, dialect.ignored)
  refuseOthers(asked, root, [
    'contents',
    'systemInstruction',
    'tools',
    'toolConfig',
    'safetySettings',
    'generationConfig',
  ])
  checkSafety(asked)
  const config = asked.generationConfig ?? {}
  const rules = { sendsReasoning: dialect.extensions, detail: imageDetail(config) }
  return {
    model,
    messages: chatMessages(asked, rules),
    ...settingFields(config, dialect),
    ...toolFields(asked),
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  }
}

function withoutIgnored(request: GenerateRequest, ignored: readonly IgnorableField[]): GenerateRequest {
  if (ignored.length === 0) return request
  const { safetySettings, generationConfig = {}, ...rest } = request
  const { topK, thinkingConfig, ...config } = generationConfig
  return {
    ...rest,
    ...(safetySettings !== undefined && !ignored.includes('safetySettings') && { safetySettings }),
    generationConfig: {
      ...config,
      ...(topK !== undefined && !ignored.includes('topK') && { topK }),
      ...(thinkingConfig !== undefined && !ignored.includes('thinkingConfig') && { thinkingConfig }),
    },
  }
}

const harmless: readonly string[] = ['BLOCK_NONE', 'OFF', 'HARM_BLOCK_THRESHOLD_UNSPECIFIED']

/** No filter can be promised, so only the wish for none is granted. */
function checkSafety({ safetySettings = [] }: GenerateRequest): void {
  safetySettings.forEach(({ threshold = 'HARM_BLOCK_THRESHOLD_UNSPECIFIED' }, index) => {
    if (harmless.includes(threshold)) return
    const why =
      'the server behind this model has no safety filter to set; use BLOCK_NONE or OFF, or leave it out'
    throw untranslatable(`${root}.safetySettings[${index}].threshold`, why)
  })
}
