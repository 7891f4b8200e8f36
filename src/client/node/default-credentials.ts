import { ClientError } from '../client-error.ts'
import type { RequestHeaders } from '../json-request.ts'
import type { DefaultCredentials, DefaultCredentialsOrder } from '../models/credential-headers.ts'
import { isHostOfGoogle, isTokenOfGoogle } from './google-token.ts'

/**
 * Application Default Credentials: the file that `GOOGLE_APPLICATION_CREDENTIALS` names, a local login, or the metadata
 * server. The library, which is loaded when the first call needs it, keeps tokens and renews them in time.
 */
export const defaultCredentials: DefaultCredentials = (order) => {
  let opened: Promise<Library> | undefined
  return async (url) => {
    opened ??= open(order)
    try {
      return await headersFor(await opened, order, url)
    } catch (cause) {
      // What was wrong may be put right before the next call.
      opened = undefined
      throw cause instanceof ClientError ? cause : notFound(cause)
    }
  }
}

type Library = Awaited<ReturnType<typeof open>>

async function open({ project, scopes }: DefaultCredentialsOrder) {
  const { GoogleAuth } = await import('google-auth-library')
  // Without a project the library would ask Google which one it is.
  return new GoogleAuth({ projectId: project ?? 'none', scopes: [...scopes] })
}

async function headersFor(
  library: Library,
  { isDefaultUrl }: DefaultCredentialsOrder,
  url: URL,
): Promise<RequestHeaders> {
  const client = await library.getClient()
  if (isDefaultUrl && client.universeDomain !== 'googleapis.com')
    throw new ClientError(
      'no_base_url',
      `these credentials are for ${client.universeDomain}, not for Google: give \`baseUrl\`, or set GOOGLE_GEMINI_BASE_URL`,
    )
  // Before the token is asked for: what is not fetched cannot leak.
  if (!isHostOfGoogle(url) && isTokenOfGoogle({ ...library.jsonContent }, client.universeDomain))
    throw tokenOfGoogle(url)
  return Object.fromEntries(await client.getRequestHeaders(url.href))
}

function tokenOfGoogle({ host }: URL): ClientError {
  const message = [
    `the Application Default Credentials of this machine are for Google, and their token is not sent to ${host}:`,
    'let GOOGLE_APPLICATION_CREDENTIALS name a file of that server ("postern service-accounts create" writes one),',
    'or give `apiKey`, `oauth` or `accessToken`',
  ].join(' ')
  return new ClientError('google_credentials', message)
}

function notFound(cause: unknown): ClientError {
  const words = cause instanceof Error ? cause.message : ''
  const row = problems.find(([sign]) => sign.test(words))
  const message = `Application Default Credentials gave no token: ${row?.[1] ?? 'see `cause`'}`
  return new ClientError('no_default_credentials', message, { cause })
}

/** By the library's own words, which may quote the file and so are not shown. */
const problems: readonly (readonly [RegExp, string])[] = [
  [/does not exist, or it is not a file/, 'the file that GOOGLE_APPLICATION_CREDENTIALS names is not there'],
  [
    /Could not load the default credentials/,
    'there are none on this machine; let GOOGLE_APPLICATION_CREDENTIALS name the file of a service account, or give `apiKey` or `oauth`',
  ],
  [/JSON|Unexpected/, 'their file is not JSON'],
  [/invalid_grant/, 'they were refused; they may be revoked or expired (invalid_grant)'],
]
