/** The era without a handshake: every request says by itself which revision it speaks. */
export const modernRevision = '2026-07-28'

/** The era with `initialize`, newest first. */
export const legacyRevisions: readonly [string, ...string[]] = ['2025-11-25', '2025-06-18']

export const supportedRevisions: readonly string[] = [modernRevision, ...legacyRevisions]

export type Era = 'modern' | 'legacy'

/** Revisions are dates, so they compare as texts; what is no date at all and sorts behind them counts as modern too. */
export function isModern(revision: string): boolean {
  return revision >= modernRevision
}

/** Members of `_meta` that the protocol owns. */
export const metaKeys = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const
