import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allow, assertReads, enter, goOn, signInAndAllow, sitDown } from './e2e-person.ts'
import { callTool, discover } from './e2e-plain-client.ts'
import { desk, startPrograms } from './e2e-programs.ts'

const programs = await startPrograms()
after(() => programs[Symbol.asyncDispose]())
const { resource, issuer } = programs

test('an authority that is killed at any step and started again goes on where it was', async () => {
  const browser = sitDown(issuer)
  const client = await discover(resource, desk.id)
  const asked = await client.ask('notes:read')
  const page = await browser.open(asked.page)
  await killAndRestart()
  const consent = await enter(browser, page)
  assertReads(consent, /Read your notes/)
  await killAndRestart()
  const callback = await allow(browser, consent)
  await killAndRestart()
  const first = await client.redeem(asked, callback)
  assert.equal((await callTool(resource, first.access_token)).status, 200)
  await killAndRestart()
  const second = await client.refresh(first.refresh_token ?? '')
  assert.equal((await callTool(resource, second.access_token)).status, 200)
  // The browser is still signed in, and what was allowed is still known.
  const again = await client.ask('notes:read')
  const back = await goOn(browser, again.page, /Continue as Ada Lovelace/)
  assert.equal((await client.redeem(again, back)).scope, 'notes:read')
})

test('while the authority is gone the gateway goes on with the tokens that it can check', async () => {
  const client = await discover(resource, desk.id)
  const asked = await client.ask('notes:read')
  const callback = await signInAndAllow(sitDown(issuer), asked.page)
  const { access_token } = await client.redeem(asked, callback)
  assert.equal((await callTool(resource, access_token)).status, 200)
  await programs.killAuthority()
  assert.equal((await callTool(resource, access_token)).status, 200)
  await programs.restartAuthority()
})

async function killAndRestart(): Promise<void> {
  await programs.killAuthority()
  await programs.restartAuthority()
}
