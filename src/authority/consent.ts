import { hash } from 'node:crypto'
import { errors, type Grant } from 'oidc-provider'
import { isAdmitted, isSignedOut } from './account.ts'
import { type ConsentRequest, readConsentRequest, type ScopeOf } from './consent-request.ts'
import { words } from './existing-grant.ts'
import { cancel, finish } from './leave.ts'
import { sendPage } from './page.ts'
import { type ConsentView, consentPage } from './page-consent.ts'
import type { User } from './user-row.ts'
import type { Visit } from './visit.ts'

export async function showConsent(visit: Visit): Promise<void> {
  const consent = await readConsent(visit)
  sendPage(visit.exchange.response, consentPage({ ...consent.view, isChanged: false }))
}

/** Nothing is taken from the form but whether the person saw what would be allowed; otherwise they see that first. */
export async function submitConsent(visit: Visit): Promise<void> {
  const { people, clientId, exchange } = visit
  const { user, request, grant, view } = await readConsent(visit)
  if (request.asked.length === 0 && request.allowed.length === 0) return cancel(visit)
  if (exchange.form.get('shown') !== view.shown) {
    return sendPage(exchange.response, consentPage({ ...view, isChanged: true }))
  }
  const { Grant: NewGrant } = people.context.provider()
  const given = new NewGrant({ accountId: user.id, clientId })
  // Another window may have been answered since this one was opened.
  for (const before of [grant, await rememberedGrant(visit, user)])
    if (before !== undefined) copy(before, given)
  addAll(given, request)
  const grantId = await given.save()
  await people.consents.rememberGrant(user.id, clientId, grantId)
  return finish(visit, { consent: { grantId } }, true)
}

interface Consent {
  readonly user: User
  readonly grant: Grant | undefined
  readonly request: ConsentRequest
  readonly view: Omit<ConsentView, 'isChanged'>
}

async function readConsent(visit: Visit): Promise<Consent> {
  const { interaction, people } = visit
  const { context, users } = people
  const { accountId, uid } = interaction.session ?? {}
  const user = await users.findById(accountId ?? '')
  if (user === undefined || !isAdmitted(user, context.config.authority)) throw gone()
  const session = await context.provider().Session.findByUid(uid ?? '')
  if (session?.accountId !== user.id || isSignedOut(user, session.loginTs)) throw gone()
  const { grantId } = interaction
  const grant = grantId === undefined ? undefined : await context.provider().Grant.find(grantId)
  const request = readConsentRequest({ interaction, grant, user, ...context })
  return { user, grant, request, view: viewOf(visit, user, request) }
}

async function rememberedGrant({ people, clientId }: Visit, { id }: User): Promise<Grant | undefined> {
  const grantId = await people.consents.findGrantId(id, clientId)
  const found = grantId === undefined ? undefined : await people.context.provider().Grant.find(grantId)
  return found?.accountId === id && found.clientId === clientId ? found : undefined
}

function viewOf(visit: Visit, user: User, { asked, allowed, withheld }: ConsentRequest): Consent['view'] {
  const { server, authority } = visit.people.context.config
  const seen = {
    client: visit.client,
    gatewayHost: new URL(server.publicUrl).host,
    account: { login: user.login, name: user.name },
    asked,
    allowed,
    withheld,
    daysConnected: visit.staysConnected ? authority.refreshTokenDays : undefined,
  }
  const shown = hash('sha256', JSON.stringify([user.id, seen]), 'base64url')
  return { ...seen, path: visit.path, formToken: visit.formToken, shown }
}

function gone(): Error {
  return new errors.SessionNotFound('the account is gone or signed out')
}

/**
 * All that was allowed before and now, in a grant of its own: tokens that are taken back because one of them was stolen
 * are those of this sign-in, not those of the same client on the person's other machines.
 */
function addAll(given: Grant, { asked, allowed, withheld, unknown }: ConsentRequest): void {
  const openid = namesFor(undefined, [...asked, ...allowed])
  if (openid.length > 0) given.addOIDCScope(openid)
  for (const resource of resourcesOf([...asked, ...allowed])) {
    given.addResourceScope(resource, namesFor(resource, [...asked, ...allowed]))
  }
  for (const resource of resourcesOf(withheld)) {
    given.rejectResourceScope(resource, namesFor(resource, withheld))
  }
  if (unknown.openid.length > 0) given.rejectOIDCScope([...unknown.openid])
  for (const [resource, names] of Object.entries(unknown.resources)) {
    if (names.length > 0) given.rejectResourceScope(resource, [...names])
  }
}

function copy(before: Grant, given: Grant): void {
  if (before.getOIDCScope() !== '') given.addOIDCScope(before.getOIDCScope())
  for (const resource of Object.keys(before.resources ?? {})) {
    const names = words(before.getResourceScope(resource))
    if (names.length > 0) given.addResourceScope(resource, [...names])
  }
}

function resourcesOf(scopes: readonly ScopeOf[]): ReadonlySet<string> {
  return new Set(scopes.flatMap(({ resource }) => resource ?? []))
}

function namesFor(resource: string | undefined, scopes: readonly ScopeOf[]): string[] {
  return scopes.filter((scope) => scope.resource === resource).map(({ name }) => name)
}
