import { createPrivateKey } from 'node:crypto'

/** Something that was used and must turn up nowhere. */
export interface Secret {
  readonly kind: string
  readonly text: string
}

/** A sequence of bytes that gives a secret away. */
export interface Needle {
  readonly bytes: Uint8Array
  readonly kind: string
  readonly form: string
}

/** A secret as it is, encoded in the ways that programs write it, and the halves of either. */
export function needlesOf({ kind, text }: Secret): readonly Needle[] {
  return atomsOf(text).flatMap(({ bytes, isRandom, part }) =>
    formsOf(bytes).flatMap(([form, encoded]) =>
      (isRandom ? halvesOf(encoded) : ([['', encoded]] as const)).map(([half, piece]) => ({
        bytes: piece,
        kind,
        form: [half, part, form].filter((word) => word !== '').join(' '),
      })),
    ),
  )
}

/** What makes up a secret and is secret itself. */
interface Atom {
  readonly bytes: Uint8Array
  /** No other text holds even half of it. */
  readonly isRandom: boolean
  readonly part: string
}

function atomsOf(text: string): readonly Atom[] {
  if (text.includes('PRIVATE KEY-----')) return privateNumbers(text)
  const [, claims, signature] = /^[\w-]+\.([\w-]*)\.([\w-]{20,})$/.exec(text) ?? []
  if (claims !== undefined && signature !== undefined)
    return [...randomAtoms(signature, 'the signature'), ...claimsAtoms(claims)]
  if (text.length < shortest) return []
  return /^(?=.*\d)[\w./+=~-]{24,}$/.test(text)
    ? randomAtoms(text, '')
    : [{ ...atomOf(text, ''), isRandom: false }]
}

/** Half of the claims may be an address that everybody knows; those of a hostile token may be as short as `[]`. */
function claimsAtoms(claims: string): readonly Atom[] {
  return claims.length < shortestClaims ? [] : [{ ...atomOf(claims, 'the claims'), isRandom: false }]
}

function atomOf(text: string, part: string): Atom {
  return { bytes: Buffer.from(text), isRandom: true, part }
}

/** A shorter text may be anywhere by chance. */
const shortest = 6
const shortestClaims = 16

/** A text that encodes bytes may be kept as these. */
function randomAtoms(text: string, part: string): readonly Atom[] {
  const isEncoded = /^[\w-]{32,}$/.test(text)
  const decoded = { bytes: Buffer.from(text, 'base64url'), isRandom: true, part: `${part} decoded`.trim() }
  return [atomOf(text, part), ...(isEncoded ? [decoded] : [])]
}

/** The numbers that only the owner of a private key knows, whatever file they are written to. */
function privateNumbers(pem: string): readonly Atom[] {
  const jwk = createPrivateKey(pem).export({ format: 'jwk' })
  return [jwk.d, jwk.p, jwk.q]
    .filter((number) => number !== undefined)
    .map((number) => ({ bytes: Buffer.from(number, 'base64url'), isRandom: true, part: 'the number' }))
}

type Form = readonly [name: string, bytes: Uint8Array]

function formsOf(bytes: Uint8Array): readonly Form[] {
  const buffer = Buffer.from(bytes)
  const text = buffer.toString()
  const isText = Buffer.from(text).equals(buffer)
  const hex = buffer.toString('hex')
  const forms: Form[] = [
    ['as it is', bytes],
    ['in hex', Buffer.from(hex)],
    ['in hex', Buffer.from(hex.toUpperCase())],
    ...base64Forms(buffer),
  ]
  if (!isText) return forms
  const written = [encodeURIComponent(text), new URLSearchParams({ '': text }).toString().slice(1)]
  const escaped = JSON.stringify(text).slice(1, -1)
  return [
    ...forms,
    ...written.filter((one) => one !== text).map((one): Form => ['in a URL', Buffer.from(one)]),
    ...(escaped === text ? [] : [['in JSON', Buffer.from(escaped)] as const]),
  ]
}

/** Wherever it stands in what is encoded: the characters at the ends that its neighbours have a share in are left out. */
function base64Forms(buffer: Buffer): readonly Form[] {
  return [0, 1, 2].flatMap((before): Form[] => {
    const padded = Buffer.concat([Buffer.alloc(before), buffer])
    const start = Math.ceil((before * 8) / 6)
    const end = Math.floor((padded.length * 8) / 6)
    return (['base64', 'base64url'] as const).map((encoding) => [
      `in ${encoding}`,
      Buffer.from(padded.toString(encoding).slice(start, end)),
    ])
  })
}

const half = 16

function halvesOf(bytes: Uint8Array): readonly Form[] {
  if (bytes.length < half) return []
  return [
    ['the beginning', bytes.subarray(0, half)],
    ['the end', bytes.subarray(-half)],
  ]
}
