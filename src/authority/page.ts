import type { ServerResponse } from 'node:http'
import { type Html, html } from './html.ts'
import { onceScript, onceSource } from './page-once.ts'
import { stylePath } from './page-style.ts'

export interface Page {
  readonly status: number
  readonly title: string
  readonly body: Html
  readonly headers?: Readonly<Record<string, string>>
}

export function sendPage(response: ServerResponse, page: Page): void {
  response.statusCode = page.status
  for (const [name, value] of Object.entries({ ...pageHeaders, ...page.headers }))
    response.setHeader(name, value)
  response.end(pageMarkup(page))
}

/**
 * No `form-action`: browsers hold it against the whole chain of redirects after a form, which here ends at the client.
 * The referrer stays inside, and is not switched off, because then forms would come with `Origin: null`.
 */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; script-src ${onceSource}; style-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export function pageMarkup({ title, body }: Pick<Page, 'title' | 'body'>): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Postern</title>
<link rel="stylesheet" href="${stylePath}">
<script>${onceScript}</script>
</head>
<body>
<main>
<p class="brand"><span class="gate" aria-hidden="true"></span>Postern</p>
${body}
</main>
</body>
</html>
`.markup
}
