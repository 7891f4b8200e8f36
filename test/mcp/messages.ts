import { metaKeys, modernRevision } from '../../src/mcp/revisions.ts'
import type { PostOptions } from './tool-server.ts'

export interface Sent {
  readonly body: Readonly<Record<string, unknown>>
  readonly options: PostOptions
}

export const modernMeta: Readonly<Record<string, unknown>> = {
  [metaKeys.protocolVersion]: modernRevision,
  [metaKeys.clientCapabilities]: {},
}

/** A request of 2026-07-28 with all headers that it needs. */
export function modern(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  options: PostOptions = {},
): Sent {
  const meta = typeof params._meta === 'object' ? { ...modernMeta, ...params._meta } : modernMeta
  const headers: Record<string, string> = { 'mcp-protocol-version': modernRevision, 'mcp-method': method }
  if (typeof params.name === 'string') headers['mcp-name'] = params.name
  return {
    body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    options: { ...options, headers: { ...headers, ...options.headers } },
  }
}

/** A request of 2025-11-25. */
export function legacy(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  options: PostOptions = {},
): Sent {
  return {
    body: { jsonrpc: '2.0', id: 1, method, params },
    options: { ...options, headers: { 'mcp-protocol-version': '2025-11-25', ...options.headers } },
  }
}
