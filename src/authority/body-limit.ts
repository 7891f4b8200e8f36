import type { Route } from './route.ts'

/** How many bytes of body a request may bring: none where nobody would read them. */
export function bodyLimit(
  routes: readonly Route[],
  { method, path }: { readonly method: string; readonly path: string },
): number {
  if (method !== 'POST') return 0
  const own = routes.filter((route) => route.method === 'POST' && route.path.test(path))
  return Math.max(providerLimit(path), ...own.map(({ largestBody = usualLimit }) => largestBody))
}

/** A signed token may have 12 KiB; what else a form holds is short. */
const usualLimit = 16_384

/** The endpoints of the provider that take a body. Those of ours that lead there are routes. */
const providerLimits: ReadonlyMap<string, number> = new Map([
  // Besides an assertion, a proof of a key or a long list of scopes and resources.
  ['/token', 32_768],
  ['/introspect', usualLimit],
  ['/revoke', usualLimit],
  ['/userinfo', usualLimit],
  ['/end-session/confirm', usualLimit],
])

/** The provider takes its paths in any case, and with a slash behind. */
function providerLimit(path: string): number {
  return providerLimits.get(path.toLowerCase().replace(/\/$/, '')) ?? 0
}
