import { ClientError } from '../client-error.ts'
import { type BearerChallenge, bearerChallenge } from './challenge.ts'
import { type ResourceMetadata, readResourceMetadata } from './resource-metadata.ts'
import { isLoopback } from './safe-url.ts'
import { readServerMetadata, type ServerMetadata } from './server-metadata.ts'

/** Where a token for a resource is to be had. */
export interface Discovered {
  readonly resource: ResourceMetadata
  readonly server: ServerMetadata
}

export interface DiscoveryOptions {
  readonly resource: URL
  /** In place of the first that the resource names. */
  readonly issuer?: string | undefined
  readonly fetch: typeof globalThis.fetch
  /** For calls of the resource itself. */
  readonly callFetch: typeof globalThis.fetch
}

/** From the resource to its metadata to the authorization server, each checked against the one before. */
export async function discover(
  options: DiscoveryOptions,
  challenge: BearerChallenge | undefined,
): Promise<Discovered> {
  const { fetch } = options
  const resource = await resourceMetadata(options, challenge)
  const issuer = issuerOf(resource, options)
  const mayBeLocal = isLoopback(options.resource)
  return { resource, server: await readServerMetadata({ issuer, mayBeLocal, fetch }) }
}

async function resourceMetadata(
  options: DiscoveryOptions,
  challenge: BearerChallenge | undefined,
): Promise<ResourceMetadata> {
  const { resource, issuer, fetch } = options
  const announced = challenge?.resourceMetadata
  const found = await readResourceMetadata({ resource, announced, fetch })
  if (found !== undefined) return found
  if (challenge === undefined) {
    const asked = await provoke(options)
    if (asked?.resourceMetadata !== undefined) return resourceMetadata(options, asked)
  }
  if (issuer !== undefined) return { resource: resource.href, issuers: [], scopes: [] }
  throw new ClientError(
    'no_metadata',
    announced === undefined
      ? `${resource.href} does not say where to sign in: it has no protected resource metadata (RFC 9728). Its operator should publish it; a program that knows the authorization server can name it to createOAuth, as issuer`
      : `${resource.href} says that its metadata is at ${announced}, but nothing is there`,
  )
}

/** Some servers say only to who is refused where their metadata is. */
async function provoke({ resource, callFetch }: DiscoveryOptions): Promise<BearerChallenge | undefined> {
  const signal = AbortSignal.timeout(patienceMs)
  const headers = { accept: 'application/json, text/event-stream' }
  try {
    const response = await callFetch(resource, { headers, redirect: 'manual', signal })
    await response.body?.cancel()
    return await bearerChallenge(response)
  } catch (cause) {
    throw new ClientError('network', `${resource.href} cannot be reached`, { cause })
  }
}

const patienceMs = 15_000

function issuerOf({ resource, issuers }: ResourceMetadata, { issuer }: DiscoveryOptions): string {
  if (issuer === undefined) {
    const [first] = issuers
    if (first !== undefined) return first
    throw new ClientError(
      'no_authorization_server',
      `the metadata of ${resource} names no authorization server`,
    )
  }
  if (issuers.length === 0 || issuers.some((listed) => isSame(listed, issuer))) return issuer
  throw new ClientError(
    'issuer_mismatch',
    `${resource} takes no tokens of ${issuer}, but of ${issuers.join(', ')}`,
  )
}

function isSame(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '')
}
