import type { ToolResult } from './tool.ts'

export function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }] }
}

/** For the model to read: what went wrong, and what would be right. */
export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** The value twice, as the protocol asks: for programs, and as text for models that read nothing else. */
export function structuredResult(value: unknown): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value }
}

/** A value of one's own may have a member of that name, too. */
export function isToolResult(value: unknown): value is ToolResult {
  if (typeof value !== 'object' || value === null || !('content' in value)) return false
  return Array.isArray(value.content) && value.content.every(isContentBlock)
}

function isContentBlock(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** The members of a result, without the braces around them. */
export function resultMembers(result: ToolResult, era: 'modern' | 'legacy'): string {
  const content = `"content":${JSON.stringify(result.content)}`
  const structured = structuredMember(result.structuredContent, era)
  return result.isError === true ? `${content}${structured},"isError":true` : content + structured
}

/** Until 2025-11-25 structured content is an object; later any JSON. */
function structuredMember(value: unknown, era: 'modern' | 'legacy'): string {
  if (value === undefined || (era === 'legacy' && !isPlainObject(value))) return ''
  return `,"structuredContent":${JSON.stringify(value)}`
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
