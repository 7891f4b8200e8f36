import assert from 'node:assert/strict'
import { ada } from './e2e-programs.ts'
import { readable } from './people-authority.ts'
import { type Browser, openBrowser, type Shown } from './people-browser.ts'

/** Ada at a browser without scripts; that the same pages work in a real one is what e2e-pages.test.ts shows. */
export function sitDown(issuer: string): Browser {
  return openBrowser(issuer)
}

/** Fills in what the page asks for. */
export function enter(browser: Browser, page: Shown): Promise<Shown> {
  const { login, password } = ada
  return browser.submit(page, '/enter', { login, password })
}

/** Presses the button that means yes. Says where the browser was sent. */
export async function allow(browser: Browser, page: Shown): Promise<URL> {
  const { url } = await browser.submit(page, '/allow')
  return url
}

/** The whole way of somebody who is not signed in and has allowed nothing yet. */
export async function signInAndAllow(browser: Browser, url: URL): Promise<URL> {
  return allow(browser, await enter(browser, await browser.open(url)))
}

/** The way of somebody who is signed in and is asked for more, or again. */
export async function goOn(browser: Browser, url: URL, ...words: readonly RegExp[]): Promise<URL> {
  const page = await browser.open(url)
  assertReads(page, ...words)
  return allow(browser, page)
}

export function assertReads(page: Shown, ...words: readonly RegExp[]): void {
  const text = readable(page)
  for (const word of words) assert.match(text, word)
}
