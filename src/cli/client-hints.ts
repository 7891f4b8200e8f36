import type { ClientError } from '../client/client-error.ts'
import { type Call, textOption } from './command.ts'
import { programName } from './program-name.ts'
import { surfaceNamed } from './server-url.ts'

/** The line below an error of the client that says what to type next; empty where there is nothing to say. */
export function nextStep(error: ClientError, call?: Call): string {
  const hint = hints.find(([isMeant]) => isMeant(error))?.[1](error, call)
  return hint === undefined ? '' : `${hint}\n`
}

type Test = (error: ClientError) => boolean
type Hint = (error: ClientError, call: Call | undefined) => string

/** The first that fits. */
const hints: readonly (readonly [Test, Hint])[] = [
  [
    coded('sign_in_required', 'unauthorized', 'UNAUTHENTICATED'),
    (error, call) => `Sign in with: ${loginCommand(call, partOf(error))}`,
  ],
  [
    ({ scopes = [] }) => scopes.length > 0,
    ({ scopes = [] }, call) => `Allow it with: ${loginCommand(call)}${scopes.map(scopeOption).join('')}`,
  ],
  [coded('no_client'), (_, call) => `Then: ${loginCommand(call)} --client-id ID --port PORT`],
  [
    ({ reason }) => reason === 'API_KEY_INVALID',
    () => 'The key is that of GOOGLE_API_KEY or GEMINI_API_KEY: unset both to call as whoever signed in.',
  ],
  [
    coded('no_default_credentials', 'google_credentials'),
    (_, call) => `Set GOOGLE_API_KEY to a key of this server, or sign in with: ${loginCommand(call)}`,
  ],
  [
    coded('token_file'),
    () => 'Tokens are kept there: mend its permissions, or name another file with POSTERN_TOKEN_FILE.',
  ],
  [
    coded('network', 'no_metadata', 'token_not_accepted', 'resource_mismatch', 'issuer_mismatch'),
    (_, call) => `To find out why: ${program(call)} doctor${urlWord(call)}`,
  ],
]

function coded(...codes: readonly string[]): Test {
  return ({ code }) => codes.includes(code)
}

/** The address of a part of a server; a login without one is for the tools. */
function partOf({ resource = '' }: ClientError): string | undefined {
  const url = URL.parse(resource)
  return url === null || surfaceNamed(url) === 'mcp' ? undefined : ` ${url.href}`
}

function loginCommand(call: Call | undefined, where: string = urlWord(call)): string {
  return `${program(call)} login${where}`
}

function program(call: Call | undefined): string {
  return call === undefined ? 'postern' : programName(call.io)
}

function urlWord(call: Call | undefined): string {
  const url = call === undefined ? undefined : (textOption(call, 'url') ?? call.words.find(isUrl))
  return url === undefined ? '' : ` ${url}`
}

function isUrl(word: string): boolean {
  return /^https?:\/\//.test(word)
}

function scopeOption(scope: string): string {
  return /^[\w:./-]+$/.test(scope) ? ` --scope ${scope}` : ''
}
