import { ClientError } from '../client-error.ts'
import { printable } from '../oauth/server-words.ts'
import type { Problem } from './check.ts'

/** Why there was no answer from `place`, and what to do about it. */
export function explainNetworkError(error: unknown, place: string): Problem {
  if (error instanceof ClientError)
    return {
      cause: error.code,
      detail: printable(error.message),
      cure: `Mend this: ${printable(error.message)}.`,
    }
  if (error instanceof DOMException && error.name === 'TimeoutError') return at(place, late)
  const codes = codesOf(error)
  const known = problems.find((one) => codes.some((code) => one.codes.test(code)))?.problem ?? lost
  return at(place, { ...known, detail: `${known.detail} (${codes[0] ?? 'no reason given'})` })
}

function at(place: string, { cause, detail, cure = '' }: Problem): Problem {
  return { cause, detail: detail.replace('…', place), cure: cure.replace('…', place) }
}

const late: Problem = {
  cause: 'timeout',
  detail: '… did not answer in time',
  cure: 'See whether … is overloaded, or a firewall drops what is sent to it.',
}

const lost: Problem = {
  cause: 'network',
  detail: '… gave no complete answer',
  cure: 'See whether … runs, and whether something on the way there ends the connection.',
}

const problems: readonly { readonly codes: RegExp; readonly problem: Problem }[] = [
  {
    codes: /^(?:ENOTFOUND|EAI_AGAIN)$/,
    problem: {
      cause: 'unknown_host',
      detail: 'The name of the host of … is not known',
      cure: 'Correct the host name in …, or its entry in the DNS.',
    },
  },
  {
    codes: /^ECONNREFUSED$/,
    problem: {
      cause: 'connection_refused',
      detail: 'Nothing listens at …',
      cure: 'Start what should answer at …, or correct the address.',
    },
  },
  {
    codes: /^(?:ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EHOSTUNREACH|ENETUNREACH)$/,
    problem: { ...late, cause: 'unreachable', detail: 'The host of … cannot be reached' },
  },
  {
    codes: /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/,
    problem: {
      cause: 'certificate_expired',
      detail: 'The TLS certificate of … is not valid today',
      cure: 'Renew the certificate of … (or set the clock of this machine right).',
    },
  },
  {
    codes: /ALTNAME/,
    problem: {
      cause: 'certificate_name',
      detail: 'The TLS certificate of … is for another host name',
      cure: 'Use the name in the certificate as the host, or get a certificate for this name.',
    },
  },
  {
    codes: /CERT|UNABLE_TO_|SELF_SIGNED/,
    problem: {
      cause: 'certificate_untrusted',
      detail: 'The TLS certificate of … comes from nobody that this machine trusts',
      cure: 'Make the server send its whole chain of certificates, or trust its authority here: NODE_EXTRA_CA_CERTS=ca.pem.',
    },
  },
  {
    codes: /SSL|TLS|^EPROTO$/,
    problem: {
      cause: 'no_tls',
      detail: 'There is no TLS at …',
      cure: 'Correct the port in …, or set up TLS on it.',
    },
  },
]

/** The codes of an error and of what caused it; a name with several addresses has several causes. */
function codesOf(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error) || depth > 5) return []
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : []
  const others = error instanceof AggregateError ? error.errors : [error.cause]
  return [...own, ...others.flatMap((other: unknown) => codesOf(other, depth + 1))]
}
