import { isLoopback, safeUrl } from '../client/oauth/safe-url.ts'
import { Failure } from '../failure/failure.ts'
import { type Call, type CommandOption, textOption } from './command.ts'
import { readLastLogin } from './last-login.ts'

/** The parts of a server that want a sign-in of their own, by the last word of their address. */
export type Surface = 'mcp' | 'v1beta' | 'api'

export const urlOption: CommandOption = {
  type: 'string',
  placeholder: 'URL',
  description: 'The server (default $POSTERN_URL, else that of the last login, else http://127.0.0.1:8080).',
}

/** The server that a command is about; `named` goes before all else. */
export async function serverUrl(call: Call, named?: string): Promise<URL> {
  const given = named ?? textOption(call, 'url')
  if (given !== undefined) return readUrl(given, 'the URL of the server')
  const { POSTERN_URL: variable = '' } = call.io.env
  if (variable !== '') return readUrl(variable, 'POSTERN_URL')
  const last = await readLastLogin(call.io)
  return readUrl(last?.url ?? 'http://127.0.0.1:8080', 'the URL of the last login')
}

/** The address of a surface, which is also its resource identifier. A tool server of others has a path of its own. */
export function surfaceUrl(server: URL, surface: Surface): string {
  const path = server.pathname.replace(/\/$/, '')
  const isForeign = !ownPaths.has(path)
  return surface === 'mcp' && isForeign ? server.href : `${server.origin}/${surface}`
}

/** The surface that an address is of; that of a server as a whole is for the tools. */
export function surfaceNamed({ pathname }: URL): Surface {
  return (
    (['v1beta', 'api'] as const).find((surface) => pathname.replace(/\/$/, '') === `/${surface}`) ?? 'mcp'
  )
}

/** The name under which tokens for a surface are kept. */
export function surfaceKey(server: URL, surface: Surface): string {
  return surfaceUrl(server, surface).replace(/\/$/, '')
}

const ownPaths: ReadonlySet<string> = new Set(['', '/mcp', '/v1beta', '/api'])

/** Whoever types a host without a scheme means https, and http for this machine. */
function readUrl(text: string, what: string): URL {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? URL.parse(text) : withScheme(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return safeUrl(url, { what, mayBeLocal: true })
  throw new Failure('invalid-request', `${what} must look like https://postern.example, not "${text}"`)
}

function withScheme(text: string): URL | null {
  const url = URL.parse(`https://${text}`)
  return url !== null && isLoopback(url) ? URL.parse(`http://${text}`) : url
}
