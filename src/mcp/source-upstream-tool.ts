import type { Client, Tool as UpstreamTool } from '@modelcontextprotocol/client'
import { headerParametersOf } from './header-parameters.ts'
import { isObject } from './source-json.ts'
import type { Tool, ToolResult } from './tool.ts'
import { errorResult, isToolResult } from './tool-result.ts'

/** Runs something with the connection to the upstream of this name, and says so where there is none. */
export interface UpstreamCalls {
  readonly name: string
  readonly withClient: (
    call: (client: Client) => Promise<ToolResult>,
    signal: AbortSignal,
  ) => Promise<ToolResult>
}

/** A tool of an upstream under its name here. Throws where a client would have to drop it. */
export function upstreamTool(upstream: UpstreamCalls, name: string, definition: UpstreamTool): Tool {
  const { outputSchema, ...toolDefinition } = definition
  const { title, description, inputSchema, annotations, icons } = definition
  return {
    name,
    listing: withoutGaps({ name, title, description, inputSchema, outputSchema, annotations, icons }),
    needs: { allOf: [], anyOf: [] },
    headerParameters: headerParametersOf(inputSchema),
    requiresDpop: false,
    call: (input, context) => {
      if (!isObject(input)) return errorResult(`the input of ${name} must be an object`)
      return upstream.withClient(async (client) => {
        const result: unknown = await client.callTool(
          { name: definition.name, arguments: input },
          {
            // Without its output schema: to compile foreign schemas is a risk, and the caller's client checks the output.
            toolDefinition,
            signal: context.signal,
            timeout: longestMs,
            onprogress: ({ progress, total, message }) => context.progress(progress, total, message),
          },
        )
        return resultOf(result, upstream.name)
      }, context.signal)
    },
  }
}

/** The server's own limit ends a call through its signal, so the one of the SDK must not come first. */
const longestMs = 86_400_000

function withoutGaps(listing: Record<string, unknown>): Tool['listing'] {
  return Object.fromEntries(Object.entries(listing).filter(([, value]) => value !== undefined))
}

function resultOf(result: unknown, source: string): ToolResult {
  if (!isToolResult(result)) return errorResult(`${source} answered with something that is not a tool result`)
  const { content, structuredContent, isError } = result
  return {
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isError === true ? { isError } : {}),
  }
}
