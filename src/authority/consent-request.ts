import type { Grant, Interaction } from 'oidc-provider'
import { words } from './existing-grant.ts'
import type { ShownScope } from './page-consent.ts'
import type { Resource, Resources } from './resources.ts'
import type { User } from './user-row.ts'

/** What a client asks of a person, sorted by what can come of it. */
export interface ConsentRequest {
  readonly asked: readonly ScopeOf[]
  readonly allowed: readonly ScopeOf[]
  readonly withheld: readonly ScopeOf[]
  /** What the provider waits for an answer to and nobody knows the meaning of. */
  readonly unknown: {
    readonly openid: readonly string[]
    readonly resources: Readonly<Record<string, readonly string[]>>
  }
}

/** A scope of a resource, or of OpenID Connect where it has none. */
export interface ScopeOf extends ShownScope {
  readonly resource: string | undefined
}

export interface ConsentParts {
  readonly interaction: Interaction
  /** What the person allowed before. */
  readonly grant: Grant | undefined
  readonly user: User
  readonly resources: Resources
}

export function readConsentRequest(parts: ConsentParts): ConsentRequest {
  const { interaction, grant, user, resources } = parts
  const names = words(textOf(interaction.params.scope))
  const asked = [
    ...openidScopes(names),
    ...resourcesOf(parts).flatMap((resource) => scopesOf(resource, names)),
  ]
  const isHad = ({ name, resource }: ScopeOf): boolean =>
    words(resource === undefined ? grant?.getOIDCScope() : grant?.getResourceScope(resource)).includes(name)
  const isWithheld = ({ name }: ScopeOf): boolean =>
    resources.scope(name)?.isAdminOnly === true && !user.isAdmin
  const givable = asked.filter((scope) => !isWithheld(scope))
  return {
    asked: givable.filter((scope) => !isHad(scope)),
    allowed: givable.filter(isHad),
    withheld: asked.filter(isWithheld),
    unknown: unknownOf(interaction, asked),
  }
}

/** What OpenID Connect's own scopes mean, in plain words. */
const openid: Readonly<Record<string, string>> = {
  openid: 'Know which account you use here',
  profile: 'See your name and login',
  offline_access: 'Stay connected while you are away',
}

function openidScopes(names: readonly string[]): readonly ScopeOf[] {
  return Object.entries(openid)
    .filter(([name]) => names.includes(name))
    .map(([name, description]) => ({ name, description, resource: undefined }))
}

function scopesOf({ identifier, scopes }: Resource, names: readonly string[]): readonly ScopeOf[] {
  return scopes
    .filter(({ name }) => names.includes(name))
    .map(({ name, description }) => ({ name, description, resource: identifier }))
}

function resourcesOf({ interaction, resources }: ConsentParts): readonly Resource[] {
  const { resource } = interaction.params
  const identifiers: readonly unknown[] = Array.isArray(resource) ? resource : [resource]
  return identifiers.flatMap((identifier) => resources.byIdentifier(textOf(identifier)) ?? [])
}

function unknownOf({ prompt }: Interaction, asked: readonly ScopeOf[]): ConsentRequest['unknown'] {
  const isUnknown =
    (resource: string | undefined) =>
    (name: string): boolean =>
      !asked.some((scope) => scope.name === name && scope.resource === resource)
  const { missingOIDCScope, missingResourceScopes } = prompt.details
  const resources = Object.entries(Object(missingResourceScopes) ?? {}).map(([identifier, names]) => [
    identifier,
    textsOf(names).filter(isUnknown(identifier)),
  ])
  return {
    openid: textsOf(missingOIDCScope).filter(isUnknown(undefined)),
    resources: Object.fromEntries(resources),
  }
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
