import type { ToolContent, ToolResult } from '../client/tools/tool.ts'
import { type Call, hasFlag, printJson } from './command.ts'
import { oneLine, shownText } from './terminal-text.ts'

/** What a tool answered; what it says of its failure is no output. */
export function printResult(call: Call, result: ToolResult): void {
  const { io } = call
  const { content, structuredContent, isError } = result
  if (hasFlag(call, 'json')) {
    printJson(call, result)
    return
  }
  const text =
    structuredContent !== undefined && !isError
      ? JSON.stringify(structuredContent, null, 2)
      : content.map(readable).join('\n')
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`
  if (isError) io.err(`The tool failed. It says:\n${shownText(ended, io.isAttended)}`)
  else io.out(shownText(ended, io.screen() !== undefined))
}

function readable(piece: ToolContent): string {
  if (piece.type === 'text') return piece.text ?? ''
  if (piece.type === 'resource_link') return oneLine(String(piece.uri))
  const { text, mimeType } = Object(piece.type === 'resource' ? piece.resource : piece)
  if (typeof text === 'string') return text
  const kind = typeof mimeType === 'string' ? ` (${oneLine(mimeType)})` : ''
  return `[${oneLine(piece.type)}${kind}: --json has it]`
}
