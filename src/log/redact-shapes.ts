import { redactAssignments, wordStart } from './redact-assignments.ts'

const redacted = '[redacted]'

/** Replaces what looks like a credential in a finished line of JSON, whatever field or text it stands in. */
export function redactShapes(line: string): string {
  const shaped = shapes.reduce((text, { hint, pattern, replacement }) => {
    return hint.test(text) ? text.replace(pattern, replacement) : text
  }, line)
  return redactAssignments(shaped)
}

interface Shape {
  /** A text without it holds no such shape, and it is found much faster than the pattern. */
  readonly hint: RegExp
  /** Works on JSON as written; a repetition that can start anywhere is bounded, so that time stays linear. */
  readonly pattern: RegExp
  readonly replacement: string
}

/** A character of a JSON string as written: no space, and not the quote that ends the string. */
const solid = String.raw`(?:[^\s"\\]|\\["\\/]|\\u[0-9a-fA-F]{4})`
const solidInQuery = String.raw`(?:[^\s"\\&#]|\\["\\/]|\\u[0-9a-fA-F]{4})`

const keyPrefixes = String.raw`AIza[\w-]{10}|AQ\.[\w-]{10}|postern_[\w-]{16}|sk-[\w-]{16}|ya29\.[\w-]{10}|1\/\/0[\w-]{10}|gh[a-z]_\w{16}|github_pat_\w{16}|xox[a-z]-[\w-]{10}|GOCSPX-[\w-]{10}`

const shapes: readonly Shape[] = [
  { hint: /-----BEGIN/, pattern: /-----BEGIN[^"]*?(?:-----END[^"-]*-----|(?="))/g, replacement: redacted },
  {
    hint: /cookie|authorization|api-key/i,
    pattern: /((?:cookie|authorization|x-[a-z-]{0,64}api-key)\s{0,8}[:=]\s{0,8})(?:[^"\\]|\\(?![nr]).)+/gi,
    replacement: `$1${redacted}`,
  },
  {
    hint: /bearer|basic|dpop|negotiate|digest/i,
    pattern: new RegExp(
      String.raw`((?:bearer|basic|dpop|negotiate|digest)(?:\s|\\[nrt]|%20|\+|:){1,8})${solid}+`,
      'gi',
    ),
    replacement: `$1${redacted}`,
  },
  { hint: /eyJ/, pattern: /eyJ[\w-]{8,}(?:\.[\w-]+){0,4}/g, replacement: redacted },
  {
    hint: /\.[\w-]{12,}\.[\w-]{12}/,
    pattern: /(?<![\w-])[\w-]{12,}\.[\w-]{12,}\.[\w-]{12,}(?:\.[\w-]*)*/g,
    replacement: redacted,
  },
  {
    hint: /@/,
    pattern: new RegExp(
      String.raw`:\/\/(?:[^\s"\\/?#@:]{0,512}:${solid}{0,1024}@|[^\s"\\/?#@]{1,512}@)`,
      'g',
    ),
    replacement: `://${redacted}@`,
  },
  {
    hint: /[?&#;]/,
    pattern: new RegExp(String.raw`([?&#;](?:[^\s"\\=&?#]|\\["\\/]){1,128}=)${solidInQuery}*`, 'g'),
    replacement: `$1${redacted}`,
  },
  {
    hint: /%3D/i,
    pattern: new RegExp(String.raw`(%(?:3F|26|23)[^\s"\\=&?#%]{1,128}%3D)${solidInQuery}*`, 'gi'),
    replacement: `$1${redacted}`,
  },
  { hint: /\?/, pattern: /(\?)(?![^\s"\\=&?#]{1,128}=)[^\s"\\&#]{8,}/g, replacement: `$1${redacted}` },
  {
    hint: /AI|AQ|postern_|sk-|ya29|1\/\/0|gh[a-z]_|github|xox|GOC/,
    pattern: new RegExp(String.raw`${wordStart}(?:${keyPrefixes})[\w-]*`, 'g'),
    replacement: redacted,
  },
]
