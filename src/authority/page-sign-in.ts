import type { ClientIdentity } from './client-identity.ts'
import { displayText, type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { askerTitle } from './page-asker.ts'

export interface SignInView {
  /** The address of the interaction; its forms go below it. */
  readonly path: string
  readonly formToken: string
  readonly client: ClientIdentity
  readonly gatewayHost: string
  readonly hasPasswords: boolean
  readonly upstreamName: string | undefined
  readonly demo: { readonly login: string; readonly password: string } | undefined
  /** What was typed before, or what the client proposes. */
  readonly login: string
  readonly complaint?: Complaint
}

/** Why the person sees the page again. */
export interface Complaint {
  readonly text: string
  readonly status: number
  /** Whether it is about what was typed, and not about something else. */
  readonly isAboutFields: boolean
  readonly retryAfterSeconds?: number
}

export function signInPage(view: SignInView): Page {
  const { client, gatewayHost, complaint } = view
  const retry = complaint?.retryAfterSeconds
  return {
    status: complaint?.status ?? 200,
    title: complaint === undefined ? 'Sign in' : 'Error: sign in',
    ...(retry === undefined ? {} : { headers: { 'retry-after': String(retry) } }),
    body: html`<h1>Sign in</h1>
<p class="faint">to let <strong>${askerTitle(client)}</strong> use ${gatewayHost}</p>
${complaint === undefined ? undefined : alarm(complaint.text)}
${view.demo === undefined || !view.hasPasswords ? undefined : demoBox(view.demo)}
${view.hasPasswords ? passwordForm(view) : undefined}
${view.hasPasswords && view.upstreamName !== undefined ? html`<p class="or">or</p>` : undefined}
${view.upstreamName === undefined ? undefined : upstreamForm(view, view.upstreamName)}
<form class="cancel" method="post" action="${view.path}/cancel">
${tokenField(view)}
<button class="link">Cancel and go back</button>
</form>`,
  }
}

export function tokenField({ formToken }: { readonly formToken: string }): Html {
  return html`<input type="hidden" name="token" value="${formToken}">`
}

function alarm(text: string): Html {
  return html`<div class="note alarm" id="complaint" role="alert"><p>${text}</p></div>`
}

function demoBox({ login, password }: { readonly login: string; readonly password: string }): Html {
  return html`<div class="note hint">
<p><strong>Demo.</strong> Sign in as <code>${login}</code> with the password <code>${password}</code></p>
<p class="small">Everybody who can open this page can read this. It is here because Postern was started for development.</p>
</div>`
}

/** The cursor goes to the first thing that is left to type. */
function passwordForm(view: SignInView): Html {
  const invalid =
    view.complaint?.isAboutFields === true
      ? html` aria-invalid="true" aria-describedby="complaint"`
      : undefined
  const login = displayText(view.login, 128)
  const [first, second] = login === '' ? [html` autofocus`, undefined] : [undefined, html` autofocus`]
  return html`<form method="post" action="${view.path}/enter">
${tokenField(view)}
<label for="login">Login</label>
<input id="login" name="login" type="text" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="128" required value="${login}"${invalid}${first}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required${invalid}${second}>
<div class="buttons single"><button class="main">Sign in</button></div>
</form>`
}

function upstreamForm(view: SignInView, name: string): Html {
  const kind = view.hasPasswords ? undefined : html` class="main" autofocus`
  return html`<form method="post" action="${view.path}/upstream">
${tokenField(view)}
<div class="buttons single"><button${kind}>Continue with ${displayText(name)}</button></div>
</form>`
}
