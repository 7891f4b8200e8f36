import assert from 'node:assert/strict'
import { noteSecret } from '../records/secret-search-notes.ts'

/** What the browser shows, or the address outside to which it was sent. */
export interface Shown {
  readonly url: URL
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** A browser without scripts: cookies by host and path, redirects, forms. */
export interface Browser {
  readonly open: (url: URL | string) => Promise<Shown>
  /** Sends the form of a page whose action ends like this, as if its button was pressed. */
  readonly submit: (page: Shown, action: string, fields?: Readonly<Record<string, string>>) => Promise<Shown>
  /** The same browser, made to send these headers with its forms. */
  readonly sending: (headers: Readonly<Record<string, string>>) => Browser
  /** The same browser, which a redirect to such a path leaves standing: `open` goes on from its `url`. */
  readonly halting: (path: RegExp) => Browser
}

interface Cookie {
  readonly name: string
  readonly value: string
  readonly host: string
  readonly path: string
}

interface Move {
  readonly url: URL
  readonly body?: URLSearchParams
  readonly headers?: Readonly<Record<string, string>>
}

/** `places` are the hosts it visits; a redirect to any other ends at its address. */
export function openBrowser(...places: readonly string[]): Browser {
  const hosts = new Set(places.map((place) => new URL(place).host))
  const jar = new Map<string, Cookie>()

  async function step({ url, body, headers }: Move): Promise<Response> {
    const cookie = [...jar.values()]
      .filter((kept) => fits(kept, url))
      .map(({ name, value }) => `${name}=${value}`)
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: cookie.join('; '), ...headers },
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
    for (const line of response.headers.getSetCookie()) keep(jar, line, url)
    return response
  }

  async function go(move: Move, halt?: RegExp): Promise<Shown> {
    let next = move
    for (let count = 0; count < 20; count += 1) {
      const response = await step(next)
      const location = response.headers.get('location')
      const text = await response.text()
      if (location === null)
        return { url: next.url, status: response.status, text, headers: response.headers }
      const url = new URL(location, next.url)
      noteSecret('an authorization code', url.searchParams.get('code'))
      if (!hosts.has(url.host) || halt?.test(url.pathname) === true)
        return { url, status: response.status, text: '', headers: response.headers }
      next = { url }
    }
    throw new Error(`the browser goes in circles at ${next.url.href}`)
  }

  const browse = (headers: Readonly<Record<string, string>>, halt?: RegExp): Browser => ({
    sending: (more) => browse(more, halt),
    halting: (path) => browse(headers, path),
    open: (url) => go({ url: new URL(url) }, halt),
    submit: (page, action, fields = {}) => {
      const form = formOf(page, action)
      noteSecret('a password', fields.password)
      const body = new URLSearchParams({ ...form.fields, ...fields })
      const sent = { origin: page.url.origin, ...headers }
      return go({ url: new URL(form.action, page.url), body, headers: sent }, halt)
    },
  })
  return browse({})
}

/** The address and the hidden fields of a form. */
export function formOf(
  page: Shown,
  action: string,
): { readonly action: string; readonly fields: Readonly<Record<string, string>> } {
  for (const [whole, target = ''] of page.text.matchAll(/<form[^>]* action="([^"]+)"[^>]*>.*?<\/form>/gs)) {
    if (!target.endsWith(action)) continue
    const hidden = whole.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"\s*\/?>/g)
    return { action: target, fields: Object.fromEntries([...hidden].map(([, name, value]) => [name, value])) }
  }
  assert.fail(`no form for ${action} at ${page.url.href}:\n${page.text}`)
}

function keep(jar: Map<string, Cookie>, line: string, url: URL): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  const [, path = '/'] = /;\s*path=([^;]+)/i.exec(line) ?? []
  const cookie = { name, value, host: url.hostname, path }
  // The others are the name of a sign-in, which its page has too: only their signatures are secret.
  if (/session$|\.sig$/.test(name)) noteSecret(`the cookie ${name.replace(/-\d+/, '')}`, value)
  const key = JSON.stringify([name, url.hostname, path])
  if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(key)
  else jar.set(key, cookie)
}

/** RFC 6265, sections 5.1.4 and 8.5: the port does not count. */
function fits({ host, path }: Cookie, url: URL): boolean {
  if (host !== url.hostname) return false
  const { pathname } = url
  return path === '/' || pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}
