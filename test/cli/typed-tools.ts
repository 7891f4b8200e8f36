import { Type } from 'typebox'
import { defineTool } from '../../src/mcp/define-tool.ts'
import type { Tool } from '../../src/mcp/tool.ts'

/** Tools that take arguments of every type, say how far they are, answer with data, and fail. */
export const tools: readonly Tool[] = [
  defineTool({
    name: 'mirror',
    description: 'Answers with its arguments.',
    scopes: ['notes:read'],
    input: Type.Object(
      {
        count: Type.Optional(Type.Integer()),
        ratio: Type.Optional(Type.Number()),
        isLoud: Type.Optional(Type.Boolean()),
        tags: Type.Optional(Type.Array(Type.String())),
        numbers: Type.Optional(Type.Array(Type.Number())),
        place: Type.Optional(Type.Object({ town: Type.String() })),
        text: Type.Optional(Type.String()),
      },
      { additionalProperties: false },
    ),
    run: (args) => JSON.stringify(args),
  }),
  defineTool({
    name: 'steps',
    description: 'Says how far it is.',
    scopes: ['notes:read'],
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({ done: Type.Number() }),
    run: (_input, { progress }) => {
      progress(1, 2, 'half way')
      return { done: 2 }
    },
  }),
  defineTool({
    name: 'refuse',
    description: 'Refuses to work, always, and for that it has reasons that fill more than a line.',
    scopes: ['notes:read'],
    input: Type.Object({}, { additionalProperties: false }),
    run: () => {
      throw new Error('there is nothing to do')
    },
  }),
]
