import { type ClientMetadata, errors } from 'oidc-provider'

/**
 * What a client may be, whoever describes it: itself when it registers, its document, or the configuration. Changes the
 * metadata in place, as the provider's hook asks; `isConfigured` clients were described by the operator.
 */
export function applyClientRules(metadata: ClientMetadata, isConfigured: boolean): void {
  const redirects = textsOf(metadata.redirect_uris, 'redirect_uris')
  const logouts = textsOf(metadata.post_logout_redirect_uris, 'post_logout_redirect_uris')
  for (const uri of [...redirects, ...logouts]) checkRedirect(uri)
  metadata.application_type = redirects.some(isNative) ? 'native' : 'web'
  metadata.response_modes = ['query']
  for (const name of unused) delete metadata[name]
  if (isConfigured) return
  checkTexts(metadata)
  metadata.response_types = ['code']
  metadata.grant_types = textsOf(metadata.grant_types, 'grant_types').filter((grant) => open.has(grant))
}

/** The grants of clients that nobody has vouched for; others that they ask for are left out (RFC 7591, section 2). */
const open: ReadonlySet<string> = new Set(['authorization_code', 'refresh_token'])

/**
 * Metadata that would make the provider fetch something, or that would bind a client that asks for more scopes later:
 * step-up needs scopes that no one knew when the client registered.
 */
const unused = ['scope', 'sector_identifier_uri', 'jwks_uri', 'jwks', 'initiate_login_uri', 'default_max_age']

const longestText = 2048
const longestName = 200
const mostUris = 10

function checkTexts(metadata: ClientMetadata): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (typeof value !== 'string') continue
    const longest = name === 'client_name' ? longestName : longestText
    if (value.length > longest) throw refusal(`${name} must have at most ${longest} characters`)
  }
  for (const name of ['client_uri', 'logo_uri', 'policy_uri', 'tos_uri']) {
    const uri = metadata[name]
    if (typeof uri !== 'string' || URL.parse(uri)?.protocol !== 'https:') delete metadata[name]
  }
  if (textsOf(metadata.contacts, 'contacts').length > mostUris)
    throw refusal(`contacts must have at most ${mostUris} entries`)
}

function textsOf(value: unknown, name: string): readonly string[] {
  if (value === undefined) return []
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
  if (!Array.isArray(value) || texts.length !== value.length)
    throw refusal(`${name} must be an array of strings`)
  if (texts.length > mostUris) throw refusal(`${name} must have at most ${mostUris} entries`)
  return texts
}

/** RFC 8252: an app on the person's own machine, which listens on loopback or has a scheme of its own. */
function isNative(uri: string): boolean {
  return URL.parse(uri)?.protocol !== 'https:'
}

function checkRedirect(uri: string): void {
  const url = URL.parse(uri)
  if (
    url === null ||
    uri.length > longestText ||
    !plainUri.test(uri) ||
    url.username !== '' ||
    url.password !== ''
  )
    throw refusal(
      'redirect_uris must be absolute, without fragment, user name, password, spaces or backslashes',
    )
  if (url.protocol === 'https:') return
  if (url.protocol === 'http:') {
    if (loopback.has(url.hostname)) return
    throw refusal('redirect_uris must use https; plain http is for localhost, 127.0.0.1 and [::1]')
  }
  if (taken.has(url.protocol) || url.protocol.startsWith('ms-') || !ownScheme.test(url.protocol))
    throw refusal('redirect_uris must use https, http on loopback, or a scheme of the app itself')
}

/** What a URL parser would mend or cut off, others may read another way. */
const plainUri = /^(?!https?:(?!\/\/[^/]))[\x21\x22\x24-\x5b\x5d-\x7e]+$/i
const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const ownScheme = /^[a-z][a-z0-9+.-]{2,60}:$/
/** Schemes that browsers or systems know themselves, besides those that begin with `ms-`. */
const taken: ReadonlySet<string> = new Set(
  'about blob chrome chrome-extension content data file filesystem ftp ftps intent jar javascript mailto resource search search-ms sftp sms ssh tel vbscript view-source ws wss'
    .split(' ')
    .map((scheme) => `${scheme}:`),
)

function refusal(description: string): errors.InvalidClientMetadata {
  return new errors.InvalidClientMetadata(description)
}
