/**
 * What people are shown in place of a subject, as an issuer words it; undefined where there is nothing to show. It may be
 * anybody's: nothing is decided by it.
 */
export function displayName(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined
  const shown = claim.slice(0, mostRead).replaceAll(/\p{C}/gu, '').trim()
  const name = Array.from(shown).slice(0, mostShown).join('').trimEnd()
  return name === '' ? undefined : name
}

/** In UTF-16 units, and in characters: so many fit into a column of the store. */
const mostRead = 1000
const mostShown = 100
