import type { ClientIdentity } from './client-identity.ts'
import { type Html, html } from './html.ts'

/** The card that says who asks, and how far that can be believed. */
export function asker(client: ClientIdentity): Html {
  const title = askerTitle(client)
  const [letter = '?'] = title.toUpperCase()
  const named = title === client.name ? undefined : html`<p>It calls itself “${client.name}”.</p>`
  return html`<div class="asker">
<span class="letter" aria-hidden="true">${letter}</span>
<div>
<p class="name">${title}</p>
${named}
<p class="${client.known === 'configured' ? 'small faint' : 'small'}">${standing[client.known]}</p>
</div>
</div>`
}

/** Of a client with a document its host is shown first, because it can choose its name but not its host. */
export function askerTitle({ name, documentHost }: ClientIdentity): string {
  return documentHost ?? name
}

const standing = {
  configured: 'Known to those who run this gateway.',
  document: 'Go on only if you know this site and started this there.',
  registered:
    'This app registered itself; Postern has not verified it. Go on only if you started this yourself.',
} as const satisfies Record<ClientIdentity['known'], string>
