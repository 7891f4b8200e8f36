import type { ChatHistoryItem } from 'node-llama-cpp'
import type { Content, GenerateRequest, Part } from '../content.ts'
import { untranslatable } from '../openai/untranslatable.ts'

/** The conversation as a chat template takes it; thoughts of other models are no part of it. */
export function historyOf({ systemInstruction, contents }: GenerateRequest): ChatHistoryItem[] {
  const turns = contents.map((content, at): ChatHistoryItem => {
    const text = textOf(content, `contents[${at}]`)
    return content.role === 'model' ? { type: 'model', response: [text] } : { type: 'user', text }
  })
  if (turns.length === 0) throw untranslatable('contents', 'this model needs contents to answer to')
  if (systemInstruction === undefined) return turns
  return [{ type: 'system', text: textOf(systemInstruction, 'systemInstruction') }, ...turns]
}

function textOf({ parts = [] }: Content, path: string): string {
  return parts.map((part, at) => partText(part, `${path}.parts[${at}]`)).join('')
}

function partText(part: Part, path: string): string {
  const other = Object.entries(part).find(([name, value]) => value !== undefined && !readable.has(name))
  if (other !== undefined) throw untranslatable(`${path}.${other[0]}`, 'this model reads text only')
  return part.thought === true ? '' : (part.text ?? '')
}

const readable: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])
