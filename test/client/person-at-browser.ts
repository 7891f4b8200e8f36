import type { Browser, BrowserContext } from 'playwright-core'
import { assertReads, enter, openTab, press } from '../authority/browser-person.ts'

/** Somebody with a real browser, who signs in once and allows what they are asked. */
export interface PersonAtBrowser extends AsyncDisposable {
  /** Shows them a page; they are done when the program they came from has their answer. */
  readonly show: (page: URL) => Promise<void>
  /** The pages so far. */
  readonly pages: readonly URL[]
  readonly context: BrowserContext
}

export async function sitDown(browser: Browser): Promise<PersonAtBrowser> {
  const context = await browser.newContext()
  const pages: URL[] = []
  return {
    context,
    pages,
    show: async (url) => {
      const page = await openTab(context, url)
      if (pages.length === 0) await enter(page)
      pages.push(url)
      await press(page, 'Allow')
      await page.waitForURL('**/callback?*')
      await assertReads(page, /goes on/)
      await page.close()
    },
    [Symbol.asyncDispose]: () => context.close(),
  }
}
