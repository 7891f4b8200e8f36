import { displayText, type Html, html } from './html.ts'
import type { Page } from './page.ts'

/** A sign-in that is too old, was ended in another window, or belongs to another browser. */
export const expiredPage: Page = {
  status: 400,
  title: 'This sign-in has ended',
  body: html`<h1>This sign-in has ended</h1>
<p>It was finished already, waited too long, or was started in another browser. If you came here by going back, go forward: it may still be open there.</p>
<p><strong>What to do:</strong> go back to the app you came from and start there again. You can close this page.</p>`,
}

export const signedOutPage: Page = {
  status: 200,
  title: 'Signed out',
  body: html`<h1>You are signed out</h1>
<p>Apps that you allowed stay connected. You can close this page.</p>`,
}

export const signedInPage: Page = {
  status: 200,
  title: 'Signed in',
  body: html`<h1>You are still signed in</h1>
<p>You can close this page.</p>`,
}

export const signOutAgainPage: Page = {
  status: 400,
  title: 'You are still signed in',
  body: html`<h1>You are still signed in</h1>
<p>The page you came from is no longer the newest one, so nothing was done.</p>
<form class="buttons single" action="/end-session"><button class="main">Open the sign-out page again</button></form>`,
}

/** `form` is what the provider made: a form with the id `op.logoutForm`. */
export function signOutPage(form: string): Page {
  const given: Html = { markup: form }
  return {
    status: 200,
    title: 'Sign out?',
    body: html`<h1>Sign out of Postern?</h1>
<p class="faint">Apps that you allowed stay connected; only this browser forgets you.</p>
${given}
<div class="buttons">
<button class="main" form="op.logoutForm" name="logout" value="yes">Sign out</button>
<button form="op.logoutForm">Stay signed in</button>
</div>`,
  }
}

export interface Trouble {
  readonly status: number
  readonly heading: string
  readonly text: string
  /** What a developer needs to find the reason: an error code, the number of the request. */
  readonly detail?: string
}

export function troublePage({ status, heading, text, detail }: Trouble): Page {
  const shown =
    detail === undefined
      ? undefined
      : html`<p class="small faint"><code>${displayText(detail, 300)}</code></p>`
  return {
    status,
    title: heading,
    body: html`<h1>${heading}</h1>
<p>${displayText(text, 500)}</p>
${shown}`,
  }
}
