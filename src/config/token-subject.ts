/** A `sub`, or its beginning and a `*`. At a public issuer a `*` alone would let in everybody in the world. */
export function tokenSubjectComplaint(text: string): string | undefined {
  if (text === '*')
    return 'must not be * alone, which is everyone whom the issuer knows; write how they begin'
  const star = text.indexOf('*')
  if (star === -1 || star === text.length - 1) return undefined
  return 'may have one *, at its end and nowhere else'
}
