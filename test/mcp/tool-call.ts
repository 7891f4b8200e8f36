import type { Tool, ToolContext, ToolResult } from '../../src/mcp/tool.ts'

/** The context of a call by a principal whose own token must turn up nowhere. */
export function callContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    principal: {
      issuer: 'https://issuer.example',
      subject: 'ann',
      clientId: 'agent',
      scopes: new Set(),
      expiresAt: 4_000_000_000,
      credential: { kind: 'jwt', id: '00' },
      dpopKeyThumbprint: undefined,
    },
    signal: new AbortController().signal,
    requestId: 'request-1',
    progress: () => undefined,
    used: () => undefined,
    ...given,
  }
}

export async function callTool(
  tools: readonly Tool[],
  name: string,
  { input = {}, ...context }: Partial<ToolContext> & { readonly input?: unknown } = {},
): Promise<ToolResult> {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined)
    throw new Error(`there is no tool ${name} among ${tools.map((one) => one.name).join()}`)
  return tool.call(input, callContext(context))
}

export function textOf({ content }: ToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n')
}
