import * as oauth from 'oauth4webapi'
import { codeWord, printable } from './server-words.ts'

/** What a server says it wants, in the header `WWW-Authenticate` of a 401 or 403. */
export interface BearerChallenge {
  readonly error?: string | undefined
  readonly description?: string | undefined
  readonly scopes: readonly string[]
  readonly resourceMetadata?: string | undefined
}

/** Nothing where the server asks for no bearer token. */
export async function bearerChallenge(response: Response): Promise<BearerChallenge | undefined> {
  const bearers = (await challengesOf(response)).filter(({ scheme }) => scheme === 'bearer')
  const telling = bearers.find(({ parameters }) => Object.keys(parameters).length > 0) ?? bearers[0]
  if (telling === undefined) return undefined
  const { error, error_description, scope, resource_metadata } = telling.parameters
  return {
    error: codeWord(error),
    description: error_description === undefined ? undefined : printable(error_description),
    scopes: scopeList(scope),
    resourceMetadata: resource_metadata,
  }
}

/** The words of a `scope`, each once. */
export function scopeList(scope: string | undefined): readonly string[] {
  return [...new Set(scope?.split(' ').filter((word) => word !== ''))]
}

/** The library reads the header only for answers that it got itself, so it is given one. */
async function challengesOf({ headers }: Response): Promise<readonly oauth.WWWAuthenticateChallenge[]> {
  const header = headers.get('www-authenticate')
  if (header === null) return []
  try {
    await oauth.processRevocationResponse(
      new Response(null, { status: 401, headers: { 'www-authenticate': header } }),
    )
  } catch (error) {
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.cause
  }
  return []
}
