import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertReads, enter, press } from '../authority/browser-person.ts'
import { startPrograms } from '../authority/e2e-programs.ts'
import { openChromium } from '../chromium.ts'
import { startAnsweringServer } from './answering-server.ts'
import { bundleForBrowser } from './browser-bundle.ts'

/** An app in a browser: its page, and the page that the sign-in comes back to. */
const app = `
import { connectTools, createOAuth, memoryStore, passAnswer, popupRedirect } from 'postern/client'
const redirectUri = location.origin + '/callback'
if (location.pathname === '/callback') {
  passAnswer(location.href)
  document.querySelector('main').textContent = 'You can close this window'
}
const show = (page) => window.open(page, '_blank')
globalThis.callTool = async (resource, tool, input) => {
  globalThis.oauth ??= createOAuth({
    resource, store: memoryStore(), redirect: popupRedirect({ redirectUri, show }), scopes: ['notes:read'],
  })
  globalThis.tools ??= await connectTools(resource, { oauth: globalThis.oauth })
  return (await globalThis.tools.call(tool, input)).content[0].text
}`

const { files } = await bundleForBrowser(app)
const page = await startAnsweringServer((_request, response, url) => {
  const script = files.get(url.pathname.slice(1))
  const html =
    '<!doctype html><title>app</title><main>app</main><script type="module" src="/entry.js"></script>'
  response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
  response.end(script ?? html)
})
after(() => page[Symbol.asyncDispose]())
const { origin } = new URL(page.url)
const browser = await openChromium()
after(() => browser.close())
const programs = await startPrograms({ server: { allowedOrigins: [origin] } })
after(() => programs[Symbol.asyncDispose]())

test('an app in Chromium signs in in a window of its own, calls a tool, and steps up', async () => {
  await using context = await browser.newContext()
  const tab = await context.newPage()
  await tab.goto(origin)
  const call = (tool: string, input: object): Promise<unknown> =>
    tab.evaluate(([resource, name, given]) => Reflect.get(globalThis, 'callTool')(resource, name, given), [
      programs.resource,
      tool,
      input,
    ] as const)

  const [popup, read] = [context.waitForEvent('page'), call('read_notes', {})]
  const signIn = await popup
  await enter(signIn)
  await press(signIn, 'Allow')
  await signIn.waitForURL('**/callback?*')
  await assertReads(signIn, /You can close this window/)
  assert.match(String(await read), /^the notes of [0-9a-f-]{36}$/)

  const [second, written] = [context.waitForEvent('page'), call('add_note', { text: 'hello' })]
  await press(await second, 'Allow')
  assert.match(String(await written), / noted: hello$/)
})
