import { type Needle, needlesOf, type Secret } from './secret-search-forms.ts'

/** Where it must not be: a table, a file, the output of a program. */
export interface Haystack {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface Finding {
  readonly kind: string
  readonly place: string
  /** How it was written there: `as it is`, `hex`, `the first half in base64` … */
  readonly form: string
}

/** Looks for all secrets in one pass over each haystack. A finding never says what was found. */
export function searchSecrets(secrets: Iterable<Secret>, haystacks: Iterable<Haystack>): readonly Finding[] {
  const index = indexOf(secrets)
  const findings = new Map<string, Finding>()
  for (const { name: place, bytes } of haystacks)
    for (const { kind, form } of [...longNeedles(index, bytes), ...shortNeedles(index, bytes)])
      findings.set([kind, place, form].join('\n'), { kind, place, form })
  return [...findings.values()]
}

/** One line for each finding, for people. */
export function describeFindings(findings: readonly Finding[]): string {
  return findings.map(({ kind, place, form }) => `${kind} is in ${place} (${form})`).join('\n')
}

/** A word of a needle, and where in it. */
interface Trace {
  readonly needle: Needle
  readonly offset: number
}

interface Index {
  /** By the hash of a word. */
  readonly traces: ReadonlyMap<number, readonly Trace[]>
  /** Whether a hash may be among them, by its last bits. */
  readonly sieve: Uint8Array
  readonly short: readonly Needle[]
}

/** Bytes that are looked at in one step: wherever a needle of two words lies, one of its first traces begins at a step. */
const word = 8
const sieveBits = 0xf_ffff

function indexOf(secrets: Iterable<Secret>): Index {
  const traces = new Map<number, Trace[]>()
  const sieve = new Uint8Array(sieveBits + 1)
  const short: Needle[] = []
  for (const needle of needlesOfAll(secrets)) {
    if (needle.bytes.length < 2 * word) {
      short.push(needle)
      continue
    }
    const view = viewOf(needle.bytes)
    for (let offset = 0; offset < word; offset += 1) {
      const hash = hashAt(view, offset)
      sieve[hash & sieveBits] = 1
      const others = traces.get(hash)
      if (others === undefined) traces.set(hash, [{ needle, offset }])
      else others.push({ needle, offset })
    }
  }
  return { traces, sieve, short }
}

/** Many secrets have an end in common, and many forms of one are the same. */
function needlesOfAll(secrets: Iterable<Secret>): Iterable<Needle> {
  const needles = new Map<string, Needle>()
  for (const secret of secrets)
    for (const needle of needlesOf(secret)) {
      const name = Buffer.from(needle.bytes).toString('latin1')
      if (!needles.has(name)) needles.set(name, needle)
    }
  return needles.values()
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function hashAt(view: DataView, at: number): number {
  const hash =
    Math.imul(view.getInt32(at, true), 0x9e3779b1) ^ Math.imul(view.getInt32(at + 4, true), 0x85ebca6b)
  return hash ^ (hash >>> 15)
}

function longNeedles({ traces, sieve }: Index, bytes: Uint8Array): readonly Needle[] {
  const found: Needle[] = []
  const view = viewOf(bytes)
  for (let at = 0; at + word <= bytes.length; at += word) {
    const hash = hashAt(view, at)
    if (sieve[hash & sieveBits] === 0) continue
    for (const { needle, offset } of traces.get(hash) ?? [])
      if (isAt(needle.bytes, bytes, at - offset)) found.push(needle)
  }
  return found
}

function shortNeedles({ short }: Index, bytes: Uint8Array): readonly Needle[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return short.filter((needle) => buffer.includes(needle.bytes))
}

function isAt(needle: Uint8Array, bytes: Uint8Array, start: number): boolean {
  return needle.every((byte, index) => bytes[start + index] === byte)
}
