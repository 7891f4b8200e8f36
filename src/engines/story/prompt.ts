import type { Content, GenerateRequest, Part } from '../content.ts'

/**
 * The model knows no roles: it goes on from a text. So the system instruction and all turns are put on lines of their
 * own, and it goes on from the last. Turns of the model that follow each other, as a streamed chat leaves them, are one.
 */
export function promptOf({ systemInstruction, contents }: GenerateRequest): string {
  const instruction = systemInstruction === undefined ? '' : textOf(systemInstruction)
  let prompt = instruction
  contents.forEach((content, at) => {
    const goesOn = content.role === 'model' && contents[at - 1]?.role === 'model'
    prompt += (prompt === '' || goesOn ? '' : '\n') + textOf(content)
  })
  return prompt
}

/** Thoughts of other models are no part of the text. */
export function textOf({ parts = [] }: Content): string {
  return parts.map((part) => (part.thought === true ? '' : partText(part))).join('')
}

function partText({ text, functionCall, functionResponse }: Part): string {
  if (functionCall !== undefined)
    return `${functionCall.name ?? ''} ${JSON.stringify(functionCall.args ?? {})}`
  if (functionResponse !== undefined) return JSON.stringify(functionResponse.response ?? {})
  return text ?? ''
}
