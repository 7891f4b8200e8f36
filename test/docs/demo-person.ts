import { openBrowser, type Shown } from '../authority/people-browser.ts'
import { startScriptedBrowser } from '../conformance/scripted-browser.ts'

/** Somebody who signs in as demo and allows what is asked, whenever a program opens a page. */
export interface DemoPerson extends AsyncDisposable {
  /** What a program is started with to find their browser. */
  readonly environment: Readonly<Record<string, string>>
  readonly sitDown: (authority: string, password: string) => void
}

export async function invitePerson(): Promise<DemoPerson> {
  const browser = await startScriptedBrowser()
  const { BROWSER = '', BROWSER_NODE = '', BROWSER_TEST = '', HOME = '' } = browser.environment
  return {
    environment: { BROWSER: `${HOME}/${BROWSER}`, BROWSER_NODE, BROWSER_TEST },
    sitDown: (authority, password) => {
      void answerPages(browser.opened, authority, password)
    },
    [Symbol.asyncDispose]: () => browser[Symbol.asyncDispose](),
  }
}

async function answerPages(opened: () => Promise<URL>, authority: string, password: string): Promise<void> {
  const visitor = openBrowser(authority)
  const answers = { '/enter': { login: 'demo', password }, '/allow': {} } as const
  for (;;) {
    const address = await opened().catch(() => undefined)
    if (address === undefined) return
    let shown: Shown = await visitor.open(address)
    for (const [action, fields] of Object.entries(answers))
      if (shown.text.includes(`${action}"`)) shown = await visitor.submit(shown, action, fields)
    await fetch(shown.url)
  }
}
