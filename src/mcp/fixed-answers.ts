import type { Exchange } from './exchange.ts'
import type { Members } from './message.ts'
import { legacyRevisions, metaKeys, supportedRevisions } from './revisions.ts'
import { serverInfo } from './server-info.ts'

const capabilities = '"capabilities":{"tools":{}}'
const caching = (milliseconds: number): string => `"ttlMs":${milliseconds},"cacheScope":"private"`

export const discovered: string = [
  `"supportedVersions":${JSON.stringify(supportedRevisions)}`,
  capabilities,
  caching(3_600_000),
].join(',')

/** The revision that was asked for if it is served, else the latest of its era. */
export function initialized({ protocolVersion }: Members): string {
  const asked = legacyRevisions.find((revision) => revision === protocolVersion)
  const info = JSON.stringify(serverInfo)
  return `"protocolVersion":"${asked ?? legacyRevisions[0]}",${capabilities},"serverInfo":${info}`
}

/** A result around its members, put together as text: what never changes is not serialized again. */
export function resultText({ era, id, method }: Exchange, members: string): string {
  const number = typeof id === 'number' ? String(id) : JSON.stringify(id)
  const opening = era === 'modern' ? modernOpening : ''
  const comma = era === 'modern' && members !== '' ? ',' : ''
  const cache = era === 'modern' && method === 'tools/list' ? listCaching : ''
  return `{"jsonrpc":"2.0","id":${number},"result":{${opening}${comma}${members}${cache}}}`
}

const modernOpening = `"resultType":"complete","_meta":${JSON.stringify({ [metaKeys.serverInfo]: serverInfo })}`

/** Private: it takes a token to see the list, and which tools it has may depend on the token. */
const listCaching = `,${caching(60_000)}`
