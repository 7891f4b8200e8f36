import type { Client } from 'oidc-provider'
import type { Config } from '../config/config-schema.ts'
import { displayText } from './html.ts'

/** Who asks, as far as anybody can know, in words that may be shown. */
export interface ClientIdentity {
  /** What it calls itself. Only of a `configured` client has anybody checked it. */
  readonly name: string
  /** By the operator's configuration, by a document at its own https address, or by registering itself. */
  readonly known: 'configured' | 'document' | 'registered'
  /** The host of its document, which nobody else can claim. */
  readonly documentHost: string | undefined
  /** Where the browser is sent afterwards, in words. */
  readonly returnsTo: string
}

export function identifyClient(
  client: Pick<Client, 'clientId' | 'clientName'>,
  redirectUri: unknown,
  { authority }: Config,
): ClientIdentity {
  const documentHost = URL.parse(client.clientId)?.protocol === 'https:' ? hostOf(client.clientId) : undefined
  const isConfigured = authority.clients.some(({ id }) => id === client.clientId)
  const name = displayText(client.clientName ?? '')
  return {
    name: name === '' ? (documentHost ?? 'An app without a name') : name,
    known: isConfigured ? 'configured' : documentHost === undefined ? 'registered' : 'document',
    documentHost: isConfigured ? undefined : documentHost,
    returnsTo: destination(typeof redirectUri === 'string' ? redirectUri : ''),
  }
}

function destination(redirectUri: string): string {
  const url = URL.parse(redirectUri)
  if (url === null) return 'the app'
  if (loopback.has(url.hostname)) return `an app on this computer (${url.host})`
  if (url.protocol === 'https:') return displayText(url.host)
  return `the app on this device that opens ${displayText(url.protocol)} links`
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** In its ASCII form, so that a letter of another alphabet cannot pass for one of ours. */
function hostOf(url: string): string | undefined {
  const host = URL.parse(url)?.host
  return host === undefined ? undefined : displayText(host)
}
