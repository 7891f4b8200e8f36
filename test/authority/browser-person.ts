import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { ada } from './e2e-programs.ts'

/** Opens a page as an app does that sends a person away to sign in: in a tab of its own. */
export async function openTab(context: BrowserContext, url: URL | string): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(patience)
  await page.goto(String(url))
  return page
}

const patience = 45_000

/** Fills in what the page asks for, found by what a person reads. */
export async function enter(page: Page, password: string = ada.password): Promise<void> {
  await page.getByLabel('Login').fill(ada.login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function press(page: Page, button: string | RegExp): Promise<void> {
  await page
    .getByRole('button', { name: button, ...(typeof button === 'string' ? { exact: true } : {}) })
    .click()
}

/** Does something that sends the browser back to the app, which need not listen. Says where it was sent. */
export async function sentBack(page: Page, act: () => Promise<void>): Promise<URL> {
  const isCallback = (url: string): boolean => new URL(url).pathname === '/callback'
  const [request] = await Promise.all([page.waitForRequest((sent) => isCallback(sent.url())), act()])
  await page.close()
  return new URL(request.url())
}

/** The whole way of somebody who is not signed in and has allowed nothing yet. */
export async function signInAndAllow(context: BrowserContext, url: URL | string): Promise<URL> {
  const page = await openTab(context, url)
  await enter(page)
  return sentBack(page, () => press(page, 'Allow'))
}

/** What a person can read on the page, on one line. */
export async function readable(page: Page): Promise<string> {
  return (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
}

/** Waits until the page says so: after a click, the page before it may be there for a moment. */
export async function assertReads(page: Page, ...words: readonly RegExp[]): Promise<void> {
  const end = Date.now() + patience
  for (;;) {
    const text = await readable(page)
    if (words.every((word) => word.test(text))) return
    if (Date.now() > end) for (const word of words) assert.match(text, word)
    await page.waitForTimeout(50)
  }
}

/** Keeps a picture of the page, for people to look at. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: `${pictures}${name}.png`, fullPage: true, animations: 'disabled' })
}

/** Below a folder that git leaves alone. */
const pictures = fileURLToPath(new URL('../../data/test-pictures/', import.meta.url))
