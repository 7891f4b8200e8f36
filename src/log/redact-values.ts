const redacted = '[redacted]'
const minLength = 8

/** Replaces each secret wherever it stands in a line of JSON, also URL-encoded, escaped or in base64. */
export function valueRedactor(secrets: readonly string[]): (line: string) => string {
  const forms = [...new Set(secrets.filter((secret) => secret.length >= minLength).flatMap(formsOf))]
  forms.sort((a, b) => b.length - a.length)
  return (line) =>
    forms.reduce((text, form) => (text.includes(form) ? text.replaceAll(form, redacted) : text), line)
}

function formsOf(secret: string): string[] {
  const escaped = escapeJson(secret)
  const encoded = [encodeUri(secret), new URLSearchParams([['', secret]]).toString().slice(1)]
  return [escaped, escapeJson(escaped), ...encoded.flatMap(bothCases), ...base64Forms(secret)]
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function encodeUri(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** `%2F` and `%2f` are the same byte. */
function bothCases(encoded: string): string[] {
  return [encoded, encoded.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())]
}

/** In a longer text the secret starts at one of three places within base64's groups; the middle then stays the same. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((before) => {
    const groups = Buffer.concat([Buffer.alloc(before), bytes])
    const start = Math.ceil((before * 8) / 6)
    const end = Math.floor((groups.length * 8) / 6)
    return [groups.toString('base64'), groups.toString('base64url')].map((text) => text.slice(start, end))
  })
}
