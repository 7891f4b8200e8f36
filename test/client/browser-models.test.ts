import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { enter, press } from '../authority/browser-person.ts'
import { ada } from '../authority/e2e-programs.ts'
import { openChromium } from '../chromium.ts'
import { input } from '../cli/call-postern.ts'
import { houseAddress, startHouse } from '../model-api/house.ts'
import { desktop, logIn } from '../model-api/log-in.ts'
import { bundleForBrowser } from './browser-bundle.ts'
import { startPageServer } from './browser-page.ts'

const site = await startPageServer()
const address = await houseAddress()
const { id, secret, redirectUri } = desktop
const house = await startHouse(address, {
  authority: { clients: [{ id, name: 'Desktop', secret, redirectUris: [redirectUri] }] },
  more: {
    server: { port: address.port, opsPort: 0, publicUrl: address.url, allowedOrigins: [site.origin] },
  },
})
const browser = await openChromium()
after(async () => {
  await browser.close()
  await house[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})
const { url, authorityUrl, place } = house
await place.call(['authority', 'users', 'add', ada.login], input(`${ada.password}\n`))

async function openPage(): Promise<Page> {
  const context = await browser.newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  await page.goto(site.origin)
  return page
}

/** What a script of the page gives; `postern` is the client. */
function run(page: Page, script: string): Promise<unknown> {
  return page.evaluate(`(async () => { ${script} })()`)
}

const story = `{ contents: 'Once upon a', generationConfig: { maxOutputTokens: 6, temperature: 0 } }`
const itsEnd = ' time, there was a little'
const models = `${url}/v1beta`

for (const [claim, options] of [
  ['in an option', `{ apiKey: 'a-key' }`],
  ['in a variable that a build tool put there', `{ env: { GEMINI_API_KEY: 'a-key' }, accessToken: 'token' }`],
  ['beside a token', `{ apiKey: 'a-key', accessToken: 'token' }`],
] as const)
  test(`an API key ${claim} throws in a page`, async () => {
    const page = await openPage()
    const thrown = `
      try { postern.modelClient({ baseUrl: '${url}', ...${options} }) }
      catch (error) { return [error instanceof postern.ClientError, error.code, String(error)] }`
    const [isOurs, code, words] = Object(await run(page, thrown))
    assert.deepEqual([isOurs, code], [true, 'api_key_in_browser'])
    assert.doesNotMatch(words, /a-key/)
  })

test('a page has no Application Default Credentials', async () => {
  const page = await openPage()
  for (const options of ['{}', '{ adc: true }', `{ vertexai: true, project: 'demo', baseUrl: '${url}' }`]) {
    const code = await run(
      page,
      `try { postern.modelClient(${options}) } catch (error) { return error.code }`,
    )
    assert.equal(code, 'no_credential', options)
  }
})

test('a page calls the models with an access token', async () => {
  const { accessToken } = await logIn(authorityUrl, ada, 'https://www.googleapis.com/auth/cloud-platform')
  const page = await openPage()
  const answers = await run(
    page,
    `const client = postern.modelClient({ baseUrl: '${url}', accessToken: '${accessToken}' })
     const { text } = await client.generate('tiny', ${story})
     let streamed = ''
     for await (const piece of client.stream('tiny', ${story})) streamed += piece.text
     const names = []
     for await (const { name } of client.models({ pageSize: 1 })) names.push(name)
     const refused = await client.generate('nope', 'hi').catch(({ code }) => code)
     return [text, streamed, names, refused]`,
  )
  assert.deepEqual(answers, [itsEnd, itsEnd, ['models/tale', 'models/tiny'], 'NOT_FOUND'])
})

test('a person signs in from a page, and the page calls the models for them', async () => {
  const page = await openPage()
  const opened = page.waitForEvent('popup')
  const answering = run(
    page,
    `const oauth = postern.createOAuth({
       resource: '${models}',
       store: postern.memoryStore(),
       clientName: 'A page',
       redirect: postern.popupRedirect({
         redirectUri: location.origin + '/callback',
         show: (page) => window.open(page, '_blank', 'popup'),
       }),
     })
     const client = postern.modelClient({ oauth })
     const first = await client.generate('tiny', ${story})
     let streamed = ''
     for await (const piece of client.stream('tiny', ${story})) streamed += piece.text
     return [first.text, streamed, client.identity.baseUrl]`,
  )
  answering.catch(() => undefined)
  const popup = await Promise.race([
    opened,
    answering.then((early) => Promise.reject(new Error(String(early)))),
  ])
  await enter(popup)
  await press(popup, 'Allow')
  assert.deepEqual(await answering, [itsEnd, itsEnd, `${url}/`])
})

test('a page that calls models alone loads neither the tools nor the other lists', async () => {
  const { modules } = await bundleForBrowser(
    "import { modelClient } from 'postern/client'; globalThis.client = modelClient({ accessToken: 'x' })",
  )
  assert.ok(modules.includes('src/client/models/model-transport.ts'))
  assert.deepEqual(
    modules.filter((path) => /modelcontextprotocol|google-auth|client\/(?:tools|api|node)\//.test(path)),
    [],
  )
})
