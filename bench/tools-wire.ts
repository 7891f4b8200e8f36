/** What every server of the comparison is told: who signs the tokens, and for which resource. */
export interface ServerSettings {
  readonly port: number
  readonly issuer: string
  readonly resource: string
}

export type Wire = 'legacy' | 'modern'

export const scope = 'bench:echo'
export const toolName = 'echo'
export const wires: readonly Wire[] = ['legacy', 'modern']

const text =
  'the quick brown fox jumps over the lazy dog, and then it does so again and again until it is tired'

/** One `tools/call`, byte for byte as it goes over the socket. */
export function requestBytes(wire: Wire, at: { readonly port: number; readonly token: string }): string {
  const body = JSON.stringify(bodies[wire])
  return [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${at.port}`,
    `Authorization: Bearer ${at.token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...headers[wire],
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}

const modernVersion = '2026-07-28'
const headers = {
  legacy: ['MCP-Protocol-Version: 2025-11-25'],
  modern: [`MCP-Protocol-Version: ${modernVersion}`, 'Mcp-Method: tools/call', `Mcp-Name: ${toolName}`],
} as const satisfies Record<Wire, readonly string[]>

const call = { name: toolName, arguments: { text } } as const
const bodies = {
  legacy: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
  modern: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      ...call,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': modernVersion,
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      },
    },
  },
} as const satisfies Record<Wire, unknown>
