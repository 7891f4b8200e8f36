/** A surface of the gateway, named after the last part of its resource identifier. */
export type Surface = 'mcp' | 'api' | 'v1beta'

export interface OwnScope {
  readonly name: string
  /** In plain words, as a person reads it before they allow it. */
  readonly description: string
  readonly isAdminOnly: boolean
}

/** The scopes that Postern itself asks for; configuration may word them anew. */
export function ownScopes(surface: Surface, scopeBase: string): readonly OwnScope[] {
  return surface === 'api' ? apiScopes : surface === 'v1beta' ? modelScopes(scopeBase) : toolScopes
}

/** The part that a scope belongs to because Postern itself asks for it, whatever the configuration says. */
export function ownerOfScope(name: string, scopeBase: unknown): Surface | 'sign-in' | undefined {
  if (openIdScopes.includes(name)) return 'sign-in'
  return surfaces.find((surface) =>
    ownScopes(surface, String(scopeBase)).some((scope) => scope.name === name),
  )
}

const surfaces: readonly Surface[] = ['mcp', 'api', 'v1beta']

const openIdScopes: readonly string[] = ['openid', 'profile', 'offline_access']

/** For tools that need no scope: a token without any cannot be asked for. */
const toolScopes: readonly OwnScope[] = [everyone('tools:open', 'Use the tools that everybody may use')]

const apiScopes: readonly OwnScope[] = [
  admin('sessions:read', 'See who is using the gateway'),
  admin('sessions:write', 'End sessions of people and programs'),
  admin('events:read', 'Read the record of every call'),
  admin('keys:read', 'See which API keys exist'),
  admin('keys:write', 'Create, change and revoke API keys'),
  admin('service-accounts:read', 'See which service accounts exist'),
  admin('service-accounts:write', 'Create, change and remove service accounts'),
  admin('usage:read', 'See how much everyone uses'),
  everyone('own:read', 'See your own sessions, calls and usage'),
  everyone('own:write', 'End your own sessions'),
]

function modelScopes(scopeBase: string): readonly OwnScope[] {
  return [
    everyone(`${scopeBase}/cloud-platform`, 'Use the models and your data in them'),
    everyone(`${scopeBase}/generative-language`, 'Use the models'),
    everyone(`${scopeBase}/generative-language.retriever`, 'Read and change your collections of documents'),
  ]
}

function admin(name: string, description: string): OwnScope {
  return { name, description, isAdminOnly: true }
}

function everyone(name: string, description: string): OwnScope {
  return { name, description, isAdminOnly: false }
}
