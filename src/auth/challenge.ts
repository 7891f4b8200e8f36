export interface ChallengeParts {
  readonly resourceMetadata: string
  readonly error?: 'invalid_token' | 'invalid_request' | 'insufficient_scope'
  readonly description?: string
  readonly scopes?: readonly string[]
}

/**
 * The value of `WWW-Authenticate` (RFC 6750, section 3; RFC 9728, section 5.1): `resource_metadata` comes first. It stays short
 * enough for clients, which take 8 to 16 KiB of headers: a longer list of scopes is left to the metadata, as half of one misleads.
 */
export function bearerChallenge(parts: ChallengeParts): string {
  const scope = (parts.scopes ?? []).filter((one) => scopeToken.test(one)).join(' ')
  const parameters = [
    `resource_metadata="${uriText(parts.resourceMetadata)}"`,
    ...(parts.error === undefined ? [] : [`error="${parts.error}"`]),
    ...(parts.description === undefined ? [] : [`error_description="${plainText(parts.description)}"`]),
    ...(scope === '' || scope.length > longestScope ? [] : [`scope="${scope}"`]),
  ]
  return `Bearer ${parameters.join(', ')}`
}

const longestScope = 4096
const longestDescription = 1024

/** RFC 6749, section 3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/

function uriText(text: string): string {
  return text.replace(/[^\x21\x23-\x5b\x5d-\x7e]/gu, (character) =>
    encodeURIComponent(character.toWellFormed()),
  )
}

/** RFC 6750 allows printable ASCII without `"` and `\` in a description. */
function plainText(text: string): string {
  return text
    .slice(0, longestDescription)
    .replaceAll('"', "'")
    .replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/gu, '?')
}
