import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { openChromium } from '../chromium.ts'
import { assertReads, openTab, press, sentBack, signInAndAllow } from './browser-person.ts'
import { callTool, challengeOf, discover } from './e2e-plain-client.ts'
import { desk, startPrograms } from './e2e-programs.ts'

const browser = await openChromium()
after(() => browser.close())
const programs = await startPrograms()
after(() => programs[Symbol.asyncDispose]())
const { resource, otherResource, otherScope } = programs

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

test('a token for another surface of the gateway is refused by the tool server', async () => {
  await using context = await browser.newContext()
  const client = await discover(resource, desk.id)
  const elsewhere = { resource: otherResource }
  const asked = await client.ask(otherScope, elsewhere)
  const callback = await signInAndAllow(context, asked.page)
  const { access_token } = await client.redeem(asked, callback, elsewhere)
  const refused = await callTool(resource, access_token)
  assert.equal(refused.status, 401)
  assert.match(challengeOf(refused), /error="invalid_token"/)
})

test('an answer that names another issuer, or none, is refused by a plain client', async () => {
  await using context = await browser.newContext()
  const client = await discover(resource, desk.id)
  const asked = await client.ask('notes:read')
  const callback = await signInAndAllow(context, asked.page)
  assert.equal(callback.searchParams.get('iss'), programs.issuer)
  const mixedUp = new URL(callback)
  mixedUp.searchParams.set('iss', 'https://other.example')
  await assert.rejects(client.redeem(asked, mixedUp), /"iss"/)
  const without = new URL(callback)
  without.searchParams.delete('iss')
  await assert.rejects(client.redeem(asked, without), /"iss"/)
  assert.equal((await client.redeem(asked, callback)).scope, 'notes:read')
})

function isRefusal(code: string): (error: unknown) => boolean {
  return (error) => error instanceof oauth.ResponseBodyError && error.error === code
}
