/** Whether the token of these credentials, of which `content` is the file, opens Google itself: no other server may see it. */
export function isTokenOfGoogle(content: Readonly<Record<string, unknown>>, universeDomain: string): boolean {
  switch (content.type) {
    case 'service_account':
      return isGoogle(universeDomain)
    case 'external_account':
    case 'external_account_authorized_user':
      return givers(content).some(isAtGoogle)
    // A login of `gcloud`, the metadata server, an impersonation: whatever universe they name, Google makes the token.
    default:
      return true
  }
}

export function isHostOfGoogle({ hostname }: URL): boolean {
  return isGoogle(hostname)
}

/** Who makes the token: an account that is impersonated has one of its own. */
function givers({ token_url, service_account_impersonation_url: other }: Record<string, unknown>): unknown[] {
  return other === undefined || other === null ? [token_url] : [token_url, other]
}

/** Without an address the library asks Google. */
function isAtGoogle(address: unknown): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : null
  return url === null || isHostOfGoogle(url)
}

function isGoogle(host: string): boolean {
  return /^(?:.+\.)?googleapis\.com\.?$/i.test(host)
}
