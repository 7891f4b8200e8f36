import { ClientError } from './client-error.ts'

export interface ErrorAnswer {
  readonly where: string
  readonly status: number
  readonly position: string | null
  readonly text: string | null
  /** What was sent and must not come back in a message. */
  readonly secrets: readonly string[]
}

/** Understands `application/problem+json` with a `code`, Google's `error.status` and OAuth's `error`. */
export function responseError({ where, status, position, text, secrets }: ErrorAnswer): ClientError {
  const body = parsed(text)
  const error = field(body, 'error')
  const code = firstText([field(body, 'code'), field(error, 'status'), error])
  const explanation = firstText([
    field(body, 'detail'),
    field(error, 'message'),
    field(body, 'error_description'),
    field(body, 'title'),
  ])
  const message = `${where} answered ${status}`
  const isWord = code !== null && /^[\w.:/-]{1,100}$/.test(code) && printable(code, secrets) === code
  return new ClientError(
    isWord ? code : `http_${status}`,
    explanation === null ? message : `${message}: ${printable(explanation, secrets)}`,
    { status, position },
  )
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(name)
}

function firstText(candidates: readonly unknown[]): string | null {
  for (const candidate of candidates) if (typeof candidate === 'string' && candidate !== '') return candidate
  return null
}

/** A server may quote the request; short values are ordinary words and numbers, not secrets. */
function printable(explanation: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= 8).toSorted((a, b) => b.length - a.length)
  const redacted = known.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), explanation)
  return redacted.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500)
}
