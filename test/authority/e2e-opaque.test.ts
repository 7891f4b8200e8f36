import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openChromium } from '../chromium.ts'
import { goOn, signInAndAllow } from './browser-person.ts'
import { callTool, challengeOf, discover } from './e2e-plain-client.ts'
import { cacheSeconds, desk, startPrograms } from './e2e-programs.ts'

const browser = await openChromium()
after(() => browser.close())
const programs = await startPrograms({ isOpaque: true })
after(() => programs[Symbol.asyncDispose]())
const { resource } = programs

test('opaque tokens: a revoked one, or one whose refresh token is revoked, is refused as soon as the gateway asks again', async () => {
  await using context = await browser.newContext()
  const client = await discover(resource, desk.id)
  const asked = await client.ask('notes:read')
  const first = await client.redeem(asked, await signInAndAllow(context, asked.page))
  assert.doesNotMatch(first.access_token, /\./)
  assert.equal((await callTool(resource, first.access_token)).status, 200)
  await client.revoke(first.access_token)
  await assertRefusedSoon(first.access_token)

  const again = await client.ask('notes:read')
  const back = await goOn(context, again.page, 'Continue as Ada Lovelace')
  const second = await client.redeem(again, back)
  const third = await client.refresh(second.refresh_token ?? '')
  assert.equal((await callTool(resource, third.access_token)).status, 200)
  await client.revoke(third.refresh_token ?? '')
  await assertRefusedSoon(third.access_token)
  await assert.rejects(client.refresh(third.refresh_token ?? ''))
})

async function assertRefusedSoon(token: string): Promise<void> {
  // The answer is remembered until then, and not longer.
  await pause(cacheSeconds * 1000)
  const refused = await callTool(resource, token)
  assert.equal(refused.status, 401)
  assert.match(challengeOf(refused), /error="invalid_token"/)
}
