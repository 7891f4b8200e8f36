import type { Finding, Haystack } from './secret-search.ts'

/** Finds what can only be a secret by its looks, so that nobody has to have told of it before. */
export function searchShapes(haystacks: Iterable<Haystack>): readonly Finding[] {
  const findings: Finding[] = []
  for (const { name: place, bytes } of haystacks) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    for (const [kind, shape] of shapes)
      if (shape.test(text)) findings.push({ kind, place, form: 'by its looks' })
  }
  return findings
}

const shapes: readonly (readonly [kind: string, shape: RegExp])[] = [
  // Names of tables look like it, but for the capitals.
  ['an API key', /postern_(?=[\w-]{0,42}[A-Z])[\w-]{43}/],
  ['a token', /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{20,}/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
  ['a private key', /"d":\s?"[\w-]{20,}"/],
]
