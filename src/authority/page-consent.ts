import type { ClientIdentity } from './client-identity.ts'
import { displayText, type Html, html } from './html.ts'
import type { Page } from './page.ts'
import { asker, askerTitle } from './page-asker.ts'
import { tokenField } from './page-sign-in.ts'

export interface ConsentView {
  readonly path: string
  readonly formToken: string
  /** A digest of all that the page says: with it the form says what the person saw. */
  readonly shown: string
  /** Whether the page comes again because what it says has changed. */
  readonly isChanged: boolean
  readonly client: ClientIdentity
  readonly gatewayHost: string
  readonly account: { readonly login: string; readonly name: string }
  /** What it asks for and does not have yet. */
  readonly asked: readonly ShownScope[]
  /** What it asks for and was given before. */
  readonly allowed: readonly ShownScope[]
  /** What it asks for and this person may not give. */
  readonly withheld: readonly ShownScope[]
  /** After how many days without use it has to ask again, if it stays connected at all. */
  readonly daysConnected: number | undefined
}

export interface ShownScope {
  readonly name: string
  readonly description: string
}

export function consentPage(view: ConsentView): Page {
  if (view.asked.length === 0 && view.allowed.length > 0) return continuePage(view)
  return view.asked.length === 0 ? withheldPage(view) : allowPage(view)
}

function allowPage(view: ConsentView): Page {
  const { client, gatewayHost } = view
  const title = askerTitle(client)
  const isMore = view.allowed.length > 0
  return {
    status: 200,
    title: `Allow ${title}?`,
    body: html`<h1>Allow ${title} to use ${gatewayHost} for you?</h1>
${changed(view)}
${asker(client)}
<h2>${isMore ? 'It now also asks to' : 'It asks to'}</h2>
${scopes(view.asked, 'scopes')}
${isMore ? html`<h2>Already allowed</h2>${scopes(view.allowed, 'scopes allowed')}` : undefined}
${withheld(view)}
${facts(view)}
${buttons(view, { yes: 'Allow', no: 'Deny', kind: 'buttons' })}`,
  }
}

/** RFC 8252, section 8.6: any program on the machine can pass for such a client, so a person always sees a page. */
function continuePage(view: ConsentView): Page {
  const { client, account } = view
  const title = askerTitle(client)
  return {
    status: 200,
    title: `Continue to ${title}?`,
    body: html`<h1>Continue to ${title}?</h1>
<p class="faint">You allowed this before. Go on if you have just started it.</p>
${changed(view)}
${asker(client)}
<details><summary>What it may do</summary>${scopes(view.allowed, 'scopes allowed')}</details>
${withheld(view)}
${facts(view)}
${buttons(view, { yes: `Continue as ${displayText(account.name, 40)}`, no: 'Cancel', kind: 'buttons stacked' })}`,
  }
}

function withheldPage(view: ConsentView): Page {
  const { client } = view
  const title = askerTitle(client)
  const isNothing = view.withheld.length === 0
  return {
    status: 200,
    title: `${title} cannot be allowed`,
    body: html`<h1>${title} cannot be allowed</h1>
<p class="faint">${isNothing ? 'It asks for nothing that this gateway knows.' : 'Everything it asks for needs an administrator.'}</p>
${asker(client)}
${withheld(view)}
${facts({ ...view, daysConnected: undefined })}
<form class="buttons" method="post" action="${view.path}/cancel">${tokenField(view)}<button class="main">Go back</button></form>`,
  }
}

function changed({ isChanged }: ConsentView): Html | undefined {
  if (!isChanged) return undefined
  return html`<div class="note alarm" role="alert"><p>Something on this page has changed since you saw it. Look at it once more.</p></div>`
}

function withheld(view: ConsentView): Html | undefined {
  if (view.withheld.length === 0) return undefined
  return html`<h2>Needs an administrator, and will not be given</h2>${scopes(view.withheld, 'scopes withheld')}`
}

function scopes(list: readonly ShownScope[], kind: string): Html {
  const items = list.map(
    ({ name, description }) =>
      html`<li>${displayText(description, 200)} <code>${displayText(name, 120)}</code></li>`,
  )
  return html`<ul class="${kind}">${items}</ul>`
}

function facts(view: ConsentView): Html {
  const { account, client, daysConnected } = view
  const name = displayText(account.name)
  const login =
    name === account.login ? undefined : html` <span class="faint">(${displayText(account.login)})</span>`
  const stays =
    daysConnected === undefined
      ? undefined
      : html`<dt>Stays</dt><dd>connected until unused for ${daysConnected} days</dd>`
  return html`<dl>
<dt>Account</dt><dd>${name}${login} <form method="post" action="${view.path}/switch">${tokenField(view)}<button class="link">Not you? Use another account</button></form></dd>
<dt>Gateway</dt><dd>${view.gatewayHost}</dd>
<dt>Returns to</dt><dd>${client.returnsTo}</dd>
${stays}
</dl>`
}

function buttons(
  view: ConsentView,
  { yes, no, kind }: { readonly yes: string; readonly no: string; readonly kind: string },
): Html {
  return html`<div class="${kind}">
<form method="post" action="${view.path}/allow">${tokenField(view)}<input type="hidden" name="shown" value="${view.shown}"><button class="main">${yes}</button></form>
<form method="post" action="${view.path}/cancel">${tokenField(view)}<button>${no}</button></form>
</div>`
}
