import { addressRangeComplaint } from './address-range.ts'
import { sharedComplaint, storeComplaint } from './address-rules.ts'
import { redirectUriComplaint } from './redirect-uri.ts'
import { scopeComplaint, scopePrefixComplaint } from './scope-rules.ts'
import { secretComplaint, signingKeyComplaint } from './secret-rules.ts'
import { tokenSubjectComplaint } from './token-subject.ts'
import {
  bareUrlComplaint,
  hostHeaderComplaint,
  httpUrlComplaint,
  listenHostComplaint,
  originComplaint,
  ownIssuerComplaint,
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
  'own-issuer': { expects: 'an https URL without a path', complaint: ownIssuerComplaint },
  'secure-url': { expects: 'an https URL', complaint: secureUrlComplaint },
  'http-url': { expects: 'an absolute http or https URL', complaint: httpUrlComplaint },
  'store-address': { expects: 'sqlite:PATH or a postgres:// URL', complaint: storeComplaint },
  'shared-address': { expects: 'a redis://, rediss:// or valkey:// URL', complaint: sharedComplaint },
  secret: { expects: 'a secret text', complaint: secretComplaint },
  'signing-key': { expects: 'a secret text of at least 32 characters', complaint: signingKeyComplaint },
  scope: { expects: 'a scope', complaint: scopeComplaint },
  'scope-prefix': { expects: 'an absolute http or https URL', complaint: scopePrefixComplaint },
  'redirect-uri': { expects: 'a redirect URI', complaint: redirectUriComplaint },
  'address-range': {
    expects: 'an IP address or a range, such as 10.1.2.0/28',
    complaint: addressRangeComplaint,
  },
  'token-subject': { expects: 'a text', complaint: tokenSubjectComplaint },
}
