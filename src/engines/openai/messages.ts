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
  let turn = newTurn()
  contents.forEach((content, index) => {
    const path = `${root}.contents[${index}]`
    refuseOthers(content, path, ['role', 'parts'])
    const role = content.role || 'user'
    if (role === 'model') {
      growTurn(turn, modelTurn(content, path, { ids, rules }))
    } else if (role === 'user' || role === 'function') {
      turn = endTurn(turn, messages)
      for (const message of userMessages(content, path, { ids, rules })) messages.push(message)
    } else throw untranslatable(`${path}.role`, 'must be user, model or function')
  })
  endTurn(turn, messages)
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

/** What a model has said without a break. */
interface Turn {
  said: string
  thought: string
  readonly calls: ToolCall[]
}

function newTurn(): Turn {
  return { said: '', thought: '', calls: [] }
}

/** Adjacent texts of a model are the pieces of one stream, so they are joined as they are. */
function modelTurn(content: Content, path: string, { ids, rules }: Conversation): Turn {
  const turn = newTurn()
  content.parts?.forEach((part, index) => {
    const at = `${path}.parts[${index}]`
    const { text = '', functionCall } = onePart(part, at, ['text', 'functionCall', 'thought'])
    if (functionCall !== undefined) turn.calls.push(toolCall(functionCall, `${at}.functionCall`, ids))
    else if (part.thought !== true) turn.said += text
    else if (rules.sendsReasoning) turn.thought += text
  })
  return turn
}

function toolCall(call: FunctionCall, path: string, ids: CallIds): ToolCall {
  refuseOthers(call, path, ['id', 'name', 'args'])
  if (!call.name) throw untranslatable(`${path}.name`, 'must not be empty')
  const id = ids.idOfCall(call, path)
  return { id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args ?? {}) } }
}

/**
 * A streamed answer comes back as many contents in a row: chat templates want one turn. So is what is said after a call, because
 * nothing may stand between a call and its response.
 */
function growTurn(turn: Turn, { said, thought, calls }: Turn): void {
  turn.said += said
  turn.thought += thought
  for (const call of calls) turn.calls.push(call)
}

/** Writes the turn down, if the model has said anything, and gives an empty one. */
function endTurn(turn: Turn, messages: ChatMessage[]): Turn {
  const { said, thought, calls } = turn
  if (said === '' && thought === '' && calls.length === 0) return turn
  messages.push(assistantMessage(turn))
  return newTurn()
}

function assistantMessage({ said, thought, calls }: Turn): AssistantMessage {
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
