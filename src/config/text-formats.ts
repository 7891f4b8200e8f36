import { sharedComplaint, storeComplaint } from './address-rules.ts'
import { secretComplaint, signingKeyComplaint } from './secret-rules.ts'
import {
  bareUrlComplaint,
  hostHeaderComplaint,
  httpUrlComplaint,
  listenHostComplaint,
  originComplaint,
  publicUrlComplaint,
  secureUrlComplaint,
} from './url-rules.ts'

/** What a `format` of the schema asks of a text; the complaint completes "server.publicUrl …". */
export interface TextFormat {
  readonly expects: string
  readonly complaint: (text: string) => string | undefined
}

export const textFormats: Readonly<Record<string, TextFormat>> = {
  'listen-host': { expects: 'a host name or an IP address', complaint: listenHostComplaint },
  'public-url': { expects: 'a URL without a trailing slash', complaint: publicUrlComplaint },
  'web-origin': { expects: 'an origin, such as https://app.example', complaint: originComplaint },
  'host-header': { expects: 'a host, or host:port', complaint: hostHeaderComplaint },
  'issuer-url': { expects: 'an https URL', complaint: bareUrlComplaint },
  'secure-url': { expects: 'an https URL', complaint: secureUrlComplaint },
  'http-url': { expects: 'an absolute http or https URL', complaint: httpUrlComplaint },
  'store-address': { expects: 'sqlite:PATH or a postgres:// URL', complaint: storeComplaint },
  'shared-address': { expects: 'a redis://, rediss:// or valkey:// URL', complaint: sharedComplaint },
  secret: { expects: 'a secret text', complaint: secretComplaint },
  'signing-key': { expects: 'a secret text of at least 32 characters', complaint: signingKeyComplaint },
  scope: { expects: 'a scope', complaint: scopeComplaint },
}

/** A scope-token of RFC 6749, section 3.3. */
function scopeComplaint(text: string): string | undefined {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text) ? undefined : 'must be one scope, without spaces and quotes'
}
