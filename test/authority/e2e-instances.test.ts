import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { freePort } from '../free-port.ts'
import { postgres } from '../store/engines.ts'
import { startBalancer } from './e2e-balancer.ts'
import { signInAndAllow, sitDown } from './e2e-person.ts'
import { callTool, discover } from './e2e-plain-client.ts'
import { desk, startPrograms } from './e2e-programs.ts'

const database = await postgres.create()
const ports = [await freePort(), await freePort()]
const balancer = await startBalancer(ports)
const programs = await startPrograms({ store: database.url, instances: { issuer: balancer.url, ports } })
after(async () => {
  for (const part of [programs, balancer, database]) await part[Symbol.asyncDispose]()
})
const { resource, issuer } = programs

test('on one Postgres, a flow that one instance begins is gone on with and ended by the other', async () => {
  const client = await discover(resource, desk.id)
  const asked = await client.ask('notes:read')
  const first = await client.redeem(asked, await signInAndAllow(sitDown(issuer), asked.page))
  assert.equal((await callTool(resource, first.access_token)).status, 200)
  const steps = ['/authorize', '/sign-in/', '/token'].flatMap(balancer.answeredBy)
  assert.deepEqual(new Set(steps), new Set([0, 1]))

  const second = await client.refresh(first.refresh_token ?? '')
  const third = await client.refresh(second.refresh_token ?? '')
  assert.equal((await callTool(resource, third.access_token)).status, 200)
  const [one, other] = balancer.answeredBy('/token').slice(-2)
  assert.notEqual(one, other)

  // What one instance has seen used is used for the other as well, and ends the whole family.
  await assert.rejects(client.refresh(second.refresh_token ?? ''))
  await assert.rejects(client.refresh(third.refresh_token ?? ''))
})
