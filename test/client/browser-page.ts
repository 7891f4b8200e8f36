import { startAnsweringServer } from './answering-server.ts'
import { bundleForBrowser } from './browser-bundle.ts'

export interface PageServer extends AsyncDisposable {
  readonly origin: string
}

/** A site whose pages have the client for browsers as `postern`; `/callback` is where sign-ins come back to. */
export async function startPageServer(): Promise<PageServer> {
  const { files } = await bundleForBrowser(app)
  const server = await startAnsweringServer((_request, response, url) => {
    const script = files.get(url.pathname.slice(1))
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? '<!doctype html><title>App</title><script type="module" src="/entry.js"></script>')
  })
  return { origin: new URL(server.url).origin, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

const app = `
import * as postern from 'postern/client'
globalThis.postern = postern
if (location.pathname === '/callback') postern.passAnswer(location.href)
`
