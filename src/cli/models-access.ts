import type { ModelClient } from '../client/models/create-model-client.ts'
import { Failure } from '../failure/failure.ts'
import type { Call, CommandOption } from './command.ts'
import { serverUrl, surfaceKey } from './server-url.ts'
import { signedIn, tokenStore } from './signed-in.ts'

export const modelUrlOption: CommandOption = {
  type: 'string',
  placeholder: 'URL',
  description: 'The server (default $POSTERN_URL, else $GOOGLE_GEMINI_BASE_URL, else as in "postern tools").',
}

/** No option takes a key: a command line is read by others on the machine and kept in a history. */
export const whoCalls: string = [
  'Who calls is found in this order: an API key in GOOGLE_API_KEY, then in GEMINI_API_KEY; whoever signed in with',
  '"postern login"; the service account in the file that GOOGLE_APPLICATION_CREDENTIALS names; else you are asked to',
  'sign in. With GOOGLE_GENAI_USE_VERTEXAI=true and GOOGLE_CLOUD_PROJECT it is the paths of the enterprise platform,',
  'and the service account goes first. What is in the environment is sent only to a server that is named; a key',
  'whoever made it, a token of Google never to another server.',
].join('\n')

/** The models of a server, as the caller that the environment or a login names. */
export async function modelAccess(call: Call): Promise<ModelClient> {
  const { modelClient } = await import('../client/models/model-client.ts')
  const { resolveCredential } = await import('../client/models/resolve-credential.ts')
  const { env } = call.io
  const server = await modelServer(call)
  const baseUrl = server.origin
  const { credential } = resolveCredential({ baseUrl }, env)
  const isSearch = credential.kind === 'default-credentials' && credential.from === 'search'
  if (!isSearch) {
    requireNamedServer(call, credential.kind === 'api-key' ? 'an API key' : byPlatform)
    return modelClient({ baseUrl, env })
  }
  const grant = await (await tokenStore(call)).grant(surfaceKey(server, 'v1beta'))
  // A login at Google that lies around on this machine is not for a server that is named here.
  const hasAccount = (env.GOOGLE_APPLICATION_CREDENTIALS ?? '') !== ''
  if (grant === undefined && hasAccount) {
    requireNamedServer(call, 'a file of credentials (GOOGLE_APPLICATION_CREDENTIALS)')
    return modelClient({ baseUrl, env })
  }
  return modelClient({ baseUrl, env, oauth: await signedIn(call, 'v1beta', { server }) })
}

const byPlatform = 'a place on the enterprise platform (GOOGLE_CLOUD_PROJECT or GOOGLE_CLOUD_LOCATION)'

/** What is in the environment may be anybody's: it does not go to where a login happened to be, nor to whoever has our port. */
function requireNamedServer({ values, io: { env } }: Call, what: string): void {
  const variables = [env.POSTERN_URL, env.GOOGLE_GEMINI_BASE_URL]
  if (values.url !== undefined || variables.some((url = '') => url !== '')) return
  throw new Failure(
    'invalid-request',
    `there is ${what} in the environment, but nobody said which server it is for: name it with --url or POSTERN_URL, or unset it`,
  )
}

async function modelServer(call: Call): Promise<URL> {
  const { POSTERN_URL: own = '', GOOGLE_GEMINI_BASE_URL: theirs = '' } = call.io.env
  const isOpen = call.values.url === undefined && own === '' && theirs !== ''
  return serverUrl(call, isOpen ? theirs : undefined)
}
