import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '../failure/failure.ts'
import type { Exchange } from './exchange.ts'
import { decodeHeader, headerText } from './header-text.ts'
import { isMembers, type Members, type Message } from './message.ts'
import { isModern, legacyRevisions, metaKeys, modernRevision, supportedRevisions } from './revisions.ts'

/** Decides which era a message belongs to, in the order in which official clients and servers decide it. */
export function settleEra(message: Message, headers: IncomingHttpHeaders, exchange: Exchange): void {
  const named = headerText(headers['mcp-protocol-version'])
  const meta = message.params._meta
  const isClaim = isMembers(meta) && Object.hasOwn(meta, metaKeys.protocolVersion)
  if (message.method === 'initialize' && !(isClaim && isSoundClaim(meta))) {
    if (named !== undefined && isModern(named))
      throw mismatch('initialize belongs to older revisions than the MCP-Protocol-Version header names')
    settleLegacy(exchange, undefined)
  } else if (isClaim) settleModern(message, meta, { headers, named, exchange })
  else if (named === undefined || !isModern(named)) settleLegacy(exchange, named)
  else if (exchange.id === undefined) settleNotification(message, named, { headers, exchange })
  else throw badEnvelope(`params._meta["${metaKeys.protocolVersion}"] is missing`)
}

interface Asked {
  readonly headers: IncomingHttpHeaders
  readonly exchange: Exchange
}

function settleModern(
  message: Message,
  meta: Members,
  asked: Asked & { readonly named: string | undefined },
): void {
  const { exchange, headers, named } = asked
  const claimed = meta[metaKeys.protocolVersion]
  exchange.era = 'modern'
  if (typeof claimed !== 'string')
    throw badEnvelope(`params._meta["${metaKeys.protocolVersion}"] must be a string`)
  exchange.revision = claimed
  if (!isMembers(meta[metaKeys.clientCapabilities]) && exchange.id !== undefined)
    throw badEnvelope(`params._meta["${metaKeys.clientCapabilities}"] must be an object`)
  if (named !== claimed)
    throw mismatch(`MCP-Protocol-Version must be "${claimed.slice(0, 32)}", as in the body`)
  if (claimed !== modernRevision) throw unsupported(claimed)
  checkMethodHeader(message, asked)
  if (exchange.id !== undefined) checkNameHeader(message, headers)
}

/** Notifications carry no envelope, so the header alone says what they are. */
function settleNotification(message: Message, named: string, asked: Asked): void {
  asked.exchange.era = 'modern'
  asked.exchange.revision = named
  if (named !== modernRevision) throw unsupported(named)
  checkMethodHeader(message, asked)
}

/** A request without the header is from before it existed, or from a client that forgets it: both are served. */
function settleLegacy(exchange: Exchange, named: string | undefined): void {
  if (named === undefined) return
  exchange.revision = named
  if (legacyRevisions.includes(named)) return
  throw new Failure(
    'invalid-request',
    `MCP-Protocol-Version "${named.slice(0, 32)}" is not served; take one of ${supportedRevisions.join(', ')}`,
    { reason: 'unserved_revision' },
  )
}

function isSoundClaim(meta: Members): boolean {
  const claimed = meta[metaKeys.protocolVersion]
  return typeof claimed === 'string' && isModern(claimed) && isMembers(meta[metaKeys.clientCapabilities])
}

function checkMethodHeader({ method }: Message, { headers, exchange }: Asked): void {
  const named = headerText(headers['mcp-method'])
  if (named === method || (named === undefined && exchange.id === undefined)) return
  throw mismatch(`Mcp-Method must be "${method.slice(0, 64)}", as in the body`)
}

/** Where a body has no such text, the method itself says what is missing. */
function checkNameHeader({ method, params }: Message, headers: IncomingHttpHeaders): void {
  const member = nameMembers.get(method)
  const name = member === undefined ? undefined : params[member]
  if (typeof name !== 'string') return
  const named = headerText(headers['mcp-name'])
  if (named === name || (named !== undefined && decodeHeader(named) === name)) return
  throw mismatch(`Mcp-Name must be the ${member} in the body`)
}

const nameMembers: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

function mismatch(message: string): Failure {
  return new Failure('invalid-request', message, { reason: 'header_mismatch' })
}

function badEnvelope(message: string): Failure {
  return new Failure('invalid-request', message, { reason: 'invalid_envelope' })
}

function unsupported(revision: string): Failure {
  return new Failure('invalid-request', `protocol version "${revision.slice(0, 32)}" is not served`, {
    reason: 'unsupported_revision',
  })
}
