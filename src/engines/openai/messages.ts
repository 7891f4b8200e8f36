import type { Content, FunctionCall, FunctionResponse, GenerateRequest, Part } from '../content.ts'
import { CallIds } from './call-ids.ts'
import { type ImageDetail, type MediaPart, mediaPart } from './media.ts'
import { refuseOthers, untranslatable } from './untranslatable.ts'

interface TextPart {
  readonly type: 'text'
  readonly text: string
}

interface ToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly ToolCall[]
}

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string | readonly TextPart[] }
  | { readonly role: 'user'; readonly content: string | readonly (TextPart | MediaPart)[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }
  | AssistantMessage

export interface MessageRules {
  /** Whether the server reads earlier reasoning; OpenAI's own models never see it. */
  readonly sendsReasoning: boolean
  readonly detail?: ImageDetail | undefined
}

const root = 'GenerateContentRequest'

export function chatMessages(request: GenerateRequest, rules: MessageRules): readonly ChatMessage[] {
  const { contents, systemInstruction } = request
  const ids = new CallIds(givenIds(contents))
  const messages: ChatMessage[] = systemInstruction === undefined ? [] : systemMessages(systemInstruction)
  contents.forEach((content, index) => {
    const path = `${root}.contents[${index}]`
    refuseOthers(content, path, ['role', 'parts'])
    const role = content.role || 'user'
    if (role === 'model') appendModel(messages, modelMessage(content, path, { ids, rules }))
    else if (role === 'user' || role === 'function')
      messages.push(...userMessages(content, path, { ids, rules }))
    else throw untranslatable(`${path}.role`, 'must be user, model or function')
  })
  return messages
}

interface Conversation {
  readonly ids: CallIds
  readonly rules: MessageRules
}

function givenIds(contents: readonly Content[]): ReadonlySet<string> {
  const ids = contents.flatMap(({ parts = [] }) => parts.map(({ functionCall }) => functionCall?.id ?? ''))
  return new Set(ids.filter((id) => id !== ''))
}

function systemMessages({ parts = [], ...rest }: Content): ChatMessage[] {
  const path = `${root}.systemInstruction`
  refuseOthers(rest, path, ['role'])
  const texts = parts.map((part, index) => {
    refuseOthers(part, `${path}.parts[${index}]`, ['text'])
    return textPart(part.text ?? '')
  })
  return texts.some(({ text }) => text !== '') ? [{ role: 'system', content: shortened(texts) }] : []
}

/** Responses come first: they must follow the calls that they answer. */
function userMessages(content: Content, path: string, { ids, rules }: Conversation): ChatMessage[] {
  const answers: ChatMessage[] = []
  const said: (TextPart | MediaPart)[] = []
  content.parts?.forEach((part, index) => {
    const at = `${path}.parts[${index}]`
    const { text, inlineData, functionResponse } = onePart(part, at, [
      'text',
      'inlineData',
      'functionResponse',
    ])
    if (functionResponse !== undefined)
      answers.push(toolMessage(functionResponse, `${at}.functionResponse`, ids))
    if (inlineData !== undefined) said.push(mediaPart(inlineData, `${at}.inlineData`, rules.detail))
    if (text !== undefined) said.push(textPart(text))
  })
  if (answers.length + said.length === 0) throw untranslatable(`${path}.parts`, 'must not be empty')
  return said.length === 0 ? answers : [...answers, { role: 'user', content: shortened(said) }]
}

function toolMessage(response: FunctionResponse, path: string, ids: CallIds): ChatMessage {
  refuseOthers(response, path, ['id', 'name', 'response'])
  const content = JSON.stringify(response.response ?? {})
  return { role: 'tool', tool_call_id: ids.idOfResponse(response, path), content }
}

/** Adjacent texts of a model are the pieces of one stream, so they are joined as they are. */
function modelMessage(content: Content, path: string, { ids, rules }: Conversation): AssistantMessage {
  let said = ''
  let thought = ''
  const calls: ToolCall[] = []
  content.parts?.forEach((part, index) => {
    const at = `${path}.parts[${index}]`
    const { text = '', functionCall } = onePart(part, at, ['text', 'functionCall', 'thought'])
    if (functionCall !== undefined) calls.push(toolCall(functionCall, `${at}.functionCall`, ids))
    else if (part.thought === true) thought += text
    else said += text
  })
  return assistantMessage(said, rules.sendsReasoning ? thought : '', calls)
}

function toolCall(call: FunctionCall, path: string, ids: CallIds): ToolCall {
  refuseOthers(call, path, ['id', 'name', 'args'])
  if (!call.name) throw untranslatable(`${path}.name`, 'must not be empty')
  const id = ids.idOfCall(call, path)
  return { id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args ?? {}) } }
}

/** A streamed answer comes back as many contents in a row: chat templates want one turn. */
function appendModel(messages: ChatMessage[], next: AssistantMessage): void {
  const last = messages.at(-1)
  const { content, reasoning_content: thought = '', tool_calls: calls = [] } = next
  if (last?.role !== 'assistant') {
    if ((content ?? '') !== '' || thought !== '' || calls.length > 0) messages.push(next)
    return
  }
  if (last.tool_calls !== undefined && (content ?? '') !== '') messages.push(next)
  else
    messages[messages.length - 1] = assistantMessage(
      (last.content ?? '') + (content ?? ''),
      (last.reasoning_content ?? '') + thought,
      [...(last.tool_calls ?? []), ...calls],
    )
}

function assistantMessage(said: string, thought: string, calls: readonly ToolCall[]): AssistantMessage {
  return {
    role: 'assistant',
    content: said === '' && calls.length > 0 ? null : said,
    ...(thought !== '' && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** The signature of a thought means something only to the model that made it. */
function onePart(part: Part, path: string, kinds: readonly (keyof Part)[]): Part {
  refuseOthers(part, path, [...kinds, 'thoughtSignature', 'thought'])
  if (part.thought === true && !kinds.includes('thought'))
    throw untranslatable(`${path}.thought`, 'only a model thinks; leave it out')
  if (
    kinds.every((kind) => kind === 'thought' || part[kind] === undefined) &&
    part.thoughtSignature === undefined
  )
    throw untranslatable(path, `must have one of ${kinds.filter((kind) => kind !== 'thought').join(', ')}`)
  return part
}

function textPart(text: string): TextPart {
  return { type: 'text', text }
}

/** One text goes as a string: servers that read no lists understand it too. */
function shortened<Item extends TextPart | MediaPart>(parts: readonly Item[]): string | readonly Item[] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}
