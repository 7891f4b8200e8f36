import type { ServerResponse } from 'node:http'

/** What the person sees when the browser comes back. Nothing of the request stands in it. */
export function sendPage(response: ServerResponse, status: keyof typeof pages): void {
  const [title, text] = pages[status]
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  response.end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 20vh auto; padding: 0 1rem; color-scheme: light dark }
</style>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
`)
}

const pages = {
  200: ['Back to your program', 'It has your answer and goes on. You can close this window.'],
  403: ['Not signed in', 'Your program was told so. You can close this window.'],
  400: ['Not this sign-in', 'This page belongs to another sign-in. Start again from your program.'],
  404: ['Nothing here', 'Only the end of a sign-in is shown here.'],
} as const
