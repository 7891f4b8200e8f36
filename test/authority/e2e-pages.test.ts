import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import type { Page } from 'playwright-core'
import { openChromium } from '../chromium.ts'
import { stumblingBlocks } from './browser-accessibility.ts'
import {
  assertReads,
  enter,
  keepPicture,
  openTab,
  press,
  readable,
  sentBack,
  signInAndAllow,
} from './browser-person.ts'
import { callTool, challengeOf, discover, type PlainClient } from './e2e-plain-client.ts'
import { ada, desk, startPrograms } from './e2e-programs.ts'

const browser = await openChromium()
after(() => browser.close())
const programs = await startPrograms()
after(() => programs[Symbol.asyncDispose]())
const { resource, issuer } = programs

const looks = [
  { look: 'light', colorScheme: 'light', size: { width: 900, height: 700 } },
  { look: 'dark', colorScheme: 'dark', size: { width: 900, height: 700 } },
  { look: 'phone', colorScheme: 'light', size: { width: 360, height: 640 } },
] as const

/** Reads the page, and looks at it by day, by night and on a small screen. */
async function look(page: Page, name: string, ...words: readonly RegExp[]): Promise<void> {
  await assertReads(page, ...words)
  for (const { look, colorScheme, size } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(size)
    await page.waitForFunction(`innerWidth === ${size.width}`)
    await keepPicture(page, `${name}-${look}`)
    assert.deepEqual(await stumblingBlocks(page), [], `${name}, ${look}`)
  }
}

test('every page says what it is about and can be read by anybody, by day, by night and on a small screen', async () => {
  await using context = await browser.newContext()
  const client = await discover(resource, await registered('Notebook'))

  const first = await client.ask('notes:read')
  const page = await openTab(context, first.page)
  await look(page, 'sign-in', /Sign in to let Notebook use 127\.0\.0\.1/)
  await enter(page, 'not the word')
  await look(page, 'wrong-password', /login and password do not go together/)
  assert.equal(await page.getByLabel('Login').inputValue(), ada.login)
  await enter(page)
  await look(page, 'consent', /Allow Notebook to use/, /Read your notes/, /Ada Lovelace \(ada\)/)
  await sentBack(page, () => press(page, 'Allow'))

  const again = await openTab(context, (await client.ask('notes:read')).page)
  await look(again, 'continue', /Continue to Notebook\?/, /You allowed this before/)
  await again.getByText('What it may do').click()
  await look(again, 'continue-open', /Read your notes/)
  await sentBack(again, () => press(again, 'Continue as Ada Lovelace'))

  const more = await openTab(context, (await client.ask('notes:read notes:write')).page)
  await look(more, 'step-up', /It now also asks to Write/, /Already allowed Read/)
  const denied = await sentBack(more, () => press(more, 'Deny'))
  assert.equal(denied.searchParams.get('error'), 'access_denied')

  const api = { resource: new URL('/api', resource).href }
  const guarded = await openTab(context, (await client.ask('sessions:read', api)).page)
  await look(guarded, 'needs-administrator', /Notebook cannot be allowed/, /See who is using the gateway/)
  assert.doesNotMatch(await readable(guarded), /connected/)
  const refused = await sentBack(guarded, () => press(guarded, 'Go back'))
  assert.equal(refused.searchParams.get('error'), 'access_denied')

  const wrong = await openTab(context, await misaddressed(client))
  await look(wrong, 'error', /This sign-in cannot go on/, /redirect_uri/)
  const late = await openTab(context, `${issuer}/sign-in/AAAAAAAAAAAAAAAAAAAAA`)
  await look(late, 'ended', /This sign-in has ended/, /start there again/)

  const leaving = await openTab(context, `${issuer}/end-session`)
  await openTab(context, `${issuer}/end-session`)
  await press(leaving, 'Sign out')
  await look(leaving, 'sign-out-again', /You are still signed in/, /no longer the newest/)
  await press(leaving, 'Open the sign-out page again')
  await press(leaving, 'Stay signed in')
  await assertReads(leaving, /You are still signed in You can close this page/)
})

test('the keyboard alone is enough to sign in and to allow', async () => {
  await using context = await browser.newContext()
  const client = await discover(resource, await registered('Notebook'))
  const asked = await client.ask('notes:read')
  const page = await openTab(context, asked.page)
  // The cursor stands where one begins to type.
  await page.getByLabel('Login').and(page.locator(':focus')).waitFor()
  await page.keyboard.type(ada.login)
  await page.keyboard.press('Tab')
  await page.keyboard.type(ada.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: /^Allow / }).waitFor()
  await tabTo(page, 'Allow')
  await keepPicture(page, 'keyboard-focus')
  const callback = await sentBack(page, () => page.keyboard.press('Enter'))
  const { access_token } = await client.redeem(asked, callback)
  assert.equal((await callTool(resource, access_token)).status, 200)
})

test('no page needs a script', async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false })
  const client = await discover(resource, await registered('Notebook'))
  const asked = await client.ask('notes:read')
  const { access_token } = await client.redeem(asked, await signInAndAllow(context, asked.page))
  assert.equal((await callTool(resource, access_token)).status, 200)
})

test('a button that is pressed twice counts once', async () => {
  await using context = await browser.newContext()
  const client = await discover(resource, await registered('Notebook'))
  const asked = await client.ask('notes:read')
  const page = await openTab(context, asked.page)
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url().replace(/^.*\//, ''))
  })
  await page.getByLabel('Login').fill(ada.login)
  await page.getByLabel('Password').fill(ada.password)
  await pressTwice(page, 'Sign in')
  const callback = await sentBack(page, () => pressTwice(page, 'Allow'))
  assert.deepEqual(sent, ['enter', 'allow'])
  assert.equal((await client.redeem(asked, callback)).scope, 'notes:read')
})

/** The second time the first form is on its way, and its answer is not there yet. */
async function pressTwice(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button }).hover()
  const isSent = page.waitForRequest((sent) => sent.method() === 'POST')
  await page.mouse.down()
  await page.mouse.up()
  await isSent
  await page.mouse.down()
  await page.mouse.up()
}

test('who is not the one that is signed in can say so, and can leave without a trace', async () => {
  await using context = await browser.newContext()
  const client = await discover(resource, await registered('Notebook'))
  const page = await openTab(context, (await client.ask('notes:read')).page)
  await enter(page)
  await page.getByRole('heading', { name: /^Allow / }).waitFor()
  await page.goBack()
  await assertReads(page, /by going back, go forward/)
  await page.goForward()
  await press(page, 'Not you? Use another account')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(await page.getByLabel('Login').inputValue(), '')
  const left = await sentBack(page, () => press(page, 'Cancel and go back'))
  assert.equal(left.searchParams.get('error'), 'access_denied')
  const again = await openTab(context, (await client.ask('notes:read')).page)
  await assertReads(again, /^Postern Sign in/)
})

test('a plain OAuth client: refused, discovery, sign-in, consent, code, token, call, refresh, step-up, revocation', async () => {
  await using context = await browser.newContext()
  const client = await discover(resource, desk.id)
  const asked = await client.ask('notes:read')
  const first = await client.redeem(asked, await signInAndAllow(context, asked.page))
  assert.equal(first.scope, 'notes:read')
  const read = await callTool(resource, first.access_token)
  assert.equal(read.status, 200)
  assert.match(await read.text(), /the notes of [0-9a-f-]{36}/)

  const refreshed = await client.refresh(first.refresh_token ?? '')
  assert.notEqual(refreshed.refresh_token, first.refresh_token)
  assert.equal((await callTool(resource, refreshed.access_token)).status, 200)

  const refused = await callTool(resource, refreshed.access_token, 'add_note')
  assert.equal(refused.status, 403)
  const [, missing = ''] = /error="insufficient_scope".*scope="([^"]+)"/.exec(challengeOf(refused)) ?? []
  const more = await client.ask(`notes:read ${missing}`)
  const page = await openTab(context, more.page)
  await assertReads(
    page,
    /It now also asks to \W*Write and change your notes/,
    /Already allowed \W*Read your/,
  )
  const wide = await client.redeem(more, await sentBack(page, () => press(page, 'Allow')))
  assert.equal((await callTool(resource, wide.access_token, 'add_note')).status, 200)

  await client.revoke(wide.refresh_token ?? '')
  await assert.rejects(client.refresh(wide.refresh_token ?? ''), isRefusal('invalid_grant'))
})

async function registered(name: string): Promise<string> {
  const response = await fetch(`${issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: name,
      redirect_uris: ['http://127.0.0.1:33418/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    }),
  })
  return Object(await response.json()).client_id
}

/** To where this client was never known to be, so nobody is sent there. */
async function misaddressed(client: PlainClient): Promise<URL> {
  const { page } = await client.ask('notes:read', { redirect_uri: 'https://other.example/callback' })
  return page
}

async function tabTo(page: Page, button: string): Promise<void> {
  const target = page.getByRole('button', { name: button, exact: true })
  for (let steps = 0; steps < 20; steps += 1) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element.matches(':focus'))) return
  }
  assert.fail(`the key Tab does not lead to "${button}"`)
}

function isRefusal(code: string): (error: unknown) => boolean {
  return (error) => error instanceof oauth.ResponseBodyError && error.error === code
}
