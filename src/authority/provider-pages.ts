import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { type Page, pageHeaders, pageMarkup } from './page.ts'
import {
  expiredPage,
  signedInPage,
  signedOutPage,
  signOutAgainPage,
  signOutPage,
  troublePage,
} from './page-message.ts'

/** The few pages that the provider shows itself, when a request cannot go on or a person signs out. */
export const renderError: NonNullable<Configuration['renderError']> = (ctx, out, problem) => {
  if (problem instanceof errors.SessionNotFound) return show(ctx, expiredPage)
  const isOurs = ctx.status >= 500
  if (isUnknownClient(ctx, out.error)) return show(ctx, unknownClientPage(ctx))
  // A form of a page that was left by the back button, or was sent from another window already.
  if (ctx.oidc.route === 'end_session_confirm' && !isOurs)
    return show(ctx, ctx.oidc.session?.accountId === undefined ? signedOutPage : signOutAgainPage)
  const page = troublePage({
    status: ctx.status,
    heading: isOurs ? 'That did not work' : 'This sign-in cannot go on',
    text: isOurs
      ? 'Something went wrong here. Try again in a moment.'
      : 'The app that sent you here asked in a way that we cannot answer. You did nothing wrong; tell those who make the app.',
    detail: [out.error, out.error_description, ctx.response.get('x-request-id')].filter(Boolean).join(' · '),
  })
  show(ctx, page)
}

/** A client with a document is never forgotten: if it is wrong, those who make it have to know. */
function isUnknownClient(ctx: KoaContextWithOIDC, error: string): boolean {
  return error === 'invalid_client' && !String(ctx.oidc.params?.client_id).startsWith('https:')
}

function unknownClientPage(ctx: KoaContextWithOIDC): Page {
  return troublePage({
    status: ctx.status,
    heading: 'This sign-in cannot go on',
    text: 'This server does not know the app, or no longer. Remove the connection in the app and add it again.',
    detail: ['invalid_client', ctx.response.get('x-request-id')].join(' · '),
  })
}

export function logoutSource(ctx: KoaContextWithOIDC, form: string): void {
  show(ctx, signOutPage(form))
}

/** The provider sends both here, those who signed out and those who stayed. */
export async function postLogoutSuccessSource(ctx: KoaContextWithOIDC): Promise<void> {
  const { accountId } = await ctx.oidc.provider.Session.get(ctx)
  show(ctx, accountId === undefined ? signedOutPage : signedInPage)
}

function show(ctx: KoaContextWithOIDC, page: Page): void {
  ctx.status = page.status
  ctx.body = pageMarkup(page)
  ctx.set({ ...pageHeaders, ...page.headers })
}
