import { ownerOfScope } from './own-scopes.ts'
import { type Cell, type Complaint, column, list, pick, repeated } from './partial-config.ts'
import { keyPath } from './problem.ts'
import { scopeComplaint } from './scope-rules.ts'
import { isLoopback } from './url-rules.ts'

/** Rules over several keys of the section `authority`. */
export function authorityChecks(config: unknown): Complaint[] {
  const authority = pick(config, 'authority')
  return [
    ...repeated(column(authority, 'clients', 'id'), 'authority.'),
    ...list(pick(authority, 'clients')).flatMap(client),
    ...signIn(authority),
    ...repeated(column(authority, 'workloads', 'audience').map(bareAudience), 'authority.'),
    ...list(pick(authority, 'workloads')).flatMap((workload, index) =>
      repeated(column(workload, 'bindings', 'subject'), `authority.workloads[${index}].`),
    ),
    ...scopes(pick(authority, 'scopes'), pick(config, 'scopeBase')),
    ...ports(authority, pick(config, 'server')),
  ]
}

/** Clients write an audience with and without its scheme. */
function bareAudience([path, value]: Cell): Cell {
  return [path, typeof value === 'string' ? value.replace(/^https:(?=\/\/)/, '') : value]
}

function client(given: unknown, index: number): Complaint[] {
  const path = `authority.clients[${index}]`
  const grants = pick(given, 'grants')
  const uses = (grant: string): boolean => list(grants).includes(grant)
  const isPublic = pick(given, 'secret') === undefined
  const wrong: readonly (readonly [boolean, string, string])[] = [
    [
      isPublic && pick(given, 'introspects') === true,
      'introspects',
      'is true, so the client also needs a "secret"',
    ],
    [
      isPublic && uses('client_credentials'),
      'grants',
      'has client_credentials, so the client also needs a "secret"',
    ],
    [
      uses('refresh_token') && !uses('authorization_code'),
      'grants',
      'has refresh_token without authorization_code, which alone gives refresh tokens; add it, or leave both out',
    ],
    [
      uses('authorization_code') && isEmpty(pick(given, 'redirectUris')),
      'redirectUris',
      'is empty, and the grant authorization_code needs at least one; a client of machines has "grants" without it',
    ],
  ]
  return wrong
    .filter(([isWrong]) => isWrong)
    .map(([, key, complaint]) => ({ path: `${path}.${key}`, complaint }))
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function signIn(authority: unknown): Complaint[] {
  const upstream = pick(authority, 'upstream')
  if (upstream === undefined) {
    if (pick(authority, 'localUsers') !== false) return []
    const complaint = 'is false, so nobody could sign in; add an "upstream", or leave local users on'
    return [{ path: 'authority.localUsers', complaint }]
  }
  const asked = pick(upstream, 'scopes')
  if (!Array.isArray(asked) || asked.includes('openid')) return []
  const complaint = 'must hold openid: without it there is no ID token that says who signed in'
  return [{ path: 'authority.upstream.scopes', complaint }]
}

function scopes(given: unknown, scopeBase: unknown): Complaint[] {
  if (typeof given !== 'object' || given === null) return []
  return Object.entries(given).flatMap(([name, scope]) => {
    const path = keyPath('authority.scopes', name)
    if (scopeComplaint(name) !== undefined)
      return [{ path, complaint: 'must be named by one scope, without spaces and quotes' }]
    const owner = ownerOfScope(name, scopeBase)
    const resource = pick(scope, 'resource')
    if (owner === undefined || typeof resource !== 'string' || owner === resource) return []
    const complaint =
      owner === 'sign-in'
        ? 'is a scope of OpenID Connect itself; give the one of your tools another name'
        : `is a scope of Postern itself, for ${owner}; add "resource: ${owner}" to word it anew, or take another name`
    return [{ path, complaint }]
  })
}

/** Only on loopback, which is one machine for sure, and only if there is to be an authority at all. */
function ports(authority: unknown, server: unknown): Complaint[] {
  if (pick(authority, 'secret') === undefined) return []
  if (![authority, server].every((section) => isLoopback(String(pick(section, 'host'))))) return []
  const port = pick(authority, 'port')
  const same = ['port', 'opsPort'].find((key) => pick(server, key) === port)
  if (same === undefined || typeof port !== 'number' || port === 0) return []
  return [{ path: 'authority.port', complaint: `must differ from server.${same}, which is ${port} as well` }]
}
