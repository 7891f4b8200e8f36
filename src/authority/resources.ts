import type { Config } from '../config/config-schema.ts'
import { type OwnScope, ownScopes, type Surface } from '../config/own-scopes.ts'

/** One surface of the gateway, as a resource that tokens are made for (RFC 8707). */
export interface Resource {
  readonly surface: Surface
  /** `<publicUrl>/<surface>`, the audience of its tokens. */
  readonly identifier: string
  readonly isOpaque: boolean
  readonly scopes: readonly OwnScope[]
}

export interface Resources {
  readonly all: readonly Resource[]
  readonly byIdentifier: (identifier: string) => Resource | undefined
  /** The one resource that all these scopes belong to; scopes that none knows are left aside. */
  readonly ofScopes: (scopes: readonly string[]) => Resource | undefined
  readonly scope: (name: string) => OwnScope | undefined
}

export function createResources(config: Config): Resources {
  const all = surfaces.map((surface) => resourceOf(surface, config))
  const scopes = new Map(all.flatMap((resource) => resource.scopes.map((scope) => [scope.name, scope])))
  return {
    all,
    byIdentifier: (identifier) => all.find((resource) => resource.identifier === identifier),
    ofScopes: (names) => {
      const fitting = all.filter((resource) => resource.scopes.some(({ name }) => names.includes(name)))
      return fitting.length === 1 ? fitting[0] : undefined
    },
    scope: (name) => scopes.get(name),
  }
}

const surfaces = ['mcp', 'api', 'v1beta'] as const

function resourceOf(surface: Resource['surface'], config: Config): Resource {
  const { scopes, opaqueResources } = config.authority
  const configured = Object.entries(scopes)
    .filter(([, scope]) => scope.resource === surface)
    .map(([name, { description, adminOnly }]) => ({ name, description, isAdminOnly: adminOnly }))
  // Tools have the scopes of the configuration; only where it has none that everybody can allow is there one of our own.
  const hasOwn = surface !== 'mcp' || configured.every(({ isAdminOnly }) => isAdminOnly)
  const own = ownScopes(surface, config.scopeBase).filter(({ name }) => hasOwn && scopes[name] === undefined)
  return {
    surface,
    identifier: `${config.server.publicUrl}/${surface}`,
    isOpaque: opaqueResources.includes(surface),
    scopes: [...configured, ...own],
  }
}
