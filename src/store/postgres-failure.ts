import { Failure, type FailureCode } from '../failure/failure.ts'

/** Says in plain words why Postgres cannot be reached. */
export function postgresFailure(error: unknown, place: string): Failure {
  const text = error instanceof Error ? error.message : String(error)
  const [, code, advice] = reasons.find(([sign]) => sign === codeOf(error) || text.includes(sign)) ?? fallback
  const said = text === '' ? '' : ` (${text})`
  return new Failure(code, `Postgres at ${place} ${advice}${said}`, { cause: error, field: 'store' })
}

/** An error in the middle of the work: a lost server or a time-out is a failure, the rest is the statement's own fault. */
export function explained(error: unknown, place: string): unknown {
  const code = codeOf(error)
  if (code === '57014')
    return new Failure('timeout', `Postgres at ${place} took too long to answer`, { cause: error })
  return code !== undefined && /^(57P0|08|ECONN|EPIPE)/.test(code) ? postgresFailure(error, place) : error
}

/** The cause of a URL that cannot be parsed may hold the URL, so only a missing certificate file is named. */
export function unreadableUrl(error?: unknown): Failure {
  if (error instanceof Error && 'path' in error && typeof error.path === 'string') {
    return new Failure('misconfigured', `the store URL names the file ${error.path}, which cannot be read`, {
      cause: error,
      field: 'store',
    })
  }
  return new Failure(
    'misconfigured',
    'the store URL cannot be read: write postgres://user:password@host:5432/database, with characters such as @ / ? # % in the password percent-encoded',
    { field: 'store' },
  )
}

const wrongCertificate =
  'has a certificate that cannot be trusted: name its authority with sslrootcert=FILE in the store URL'

/** A sign is an error code, or a part of the message where `pg` gives no code. */
const reasons: readonly (readonly [sign: string, FailureCode, advice: string])[] = [
  ['ECONNREFUSED', 'unavailable', 'does not answer: start it, or correct host and port in the store URL'],
  ['ENOTFOUND', 'unavailable', 'cannot be found: correct the host in the store URL, or the name service'],
  ['EAI_AGAIN', 'unavailable', 'cannot be found: the name service does not answer'],
  ['EHOSTUNREACH', 'unavailable', 'cannot be reached from this network'],
  ['ENETUNREACH', 'unavailable', 'cannot be reached from this network'],
  [
    'timeout exceeded when trying to connect',
    'unavailable',
    'has no free connection: every one of the pool is in use',
  ],
  ['timeout', 'unavailable', 'does not answer in time: check host, port and firewall'],
  ['28P01', 'misconfigured', 'refuses the password: correct user and password in the store URL'],
  ['28000', 'misconfigured', 'refuses this user: correct the user in the store URL, or pg_hba.conf'],
  ['client password must be', 'misconfigured', 'asks for a password and the store URL has none'],
  [
    '3D000',
    'misconfigured',
    'has no such database: create it with createdb, or correct its name in the store URL',
  ],
  ['42501', 'misconfigured', 'does not permit this user to connect: grant it the right'],
  ['53300', 'unavailable', 'has too many connections: raise max_connections, or run fewer instances'],
  ['57P03', 'unavailable', 'is starting or stopping: try again'],
  [
    'does not support SSL',
    'misconfigured',
    'offers no encryption: turn it on there, or remove sslmode from the store URL',
  ],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'misconfigured', wrongCertificate],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'misconfigured', wrongCertificate],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'misconfigured', wrongCertificate],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'misconfigured', wrongCertificate],
  ['CERT_HAS_EXPIRED', 'misconfigured', 'has a certificate that has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'misconfigured', 'has a certificate for another host name'],
]

const fallback = ['', 'unavailable', 'cannot be used'] as const

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
