import { Type } from 'typebox'
import { defineTool } from '../../src/mcp/define-tool.ts'
import type { Tool } from '../../src/mcp/tool.ts'

/** Two tools behind two scopes, and one that fails. */
export const tools: readonly Tool[] = [
  defineTool({
    name: 'read_notes',
    description: 'Reads the notes of the caller.',
    scopes: ['notes:read'],
    input: Type.Object({}, { additionalProperties: false }),
    run: (_input, { principal }) => `the notes of ${principal.subject}`,
  }),
  defineTool({
    name: 'add_note',
    description: 'Adds a note.',
    scopes: ['notes:write'],
    input: Type.Object({ text: Type.String() }, { additionalProperties: false }),
    run: ({ text }, { principal }) => `${principal.subject} noted: ${text}`,
  }),
  defineTool({
    name: 'break',
    description: 'Fails.',
    scopes: ['notes:read'],
    input: Type.Object({}, { additionalProperties: false }),
    run: () => {
      throw new Error('secret detail')
    },
  }),
]
