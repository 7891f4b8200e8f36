import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loopbackRedirect } from '../../src/client/node/loopback-redirect.ts'
import { tokenFile } from '../../src/client/node/token-file.ts'
import { createOAuth } from '../../src/client/oauth/create-oauth.ts'
import type { AuthEvent } from '../../src/client/oauth/oauth-options.ts'
import type { TokenStore } from '../../src/client/oauth/token-store.ts'
import { connectTools } from '../../src/client/tools/connect-tools.ts'
import { allow, enter, sitDown as sitDownWithoutScripts } from '../authority/e2e-person.ts'
import { callTool } from '../authority/e2e-plain-client.ts'
import { startPrograms } from '../authority/e2e-programs.ts'
import { openChromium } from '../chromium.ts'
import { freshFolder } from '../serving/spawn-postern.ts'
import { isClientError } from './client-error-check.ts'
import { sitDown } from './person-at-browser.ts'

const browser = await openChromium()
after(() => browser.close())
const programs = await startPrograms()
after(() => programs[Symbol.asyncDispose]())
const folder = await freshFolder()
after(() => folder[Symbol.asyncDispose]())
const { resource, issuer } = programs

test('against our own programs: sign-in in a browser, a call, a step-up, a refresh, another run, signing out', async () => {
  await using person = await sitDown(browser)
  const store = tokenFile(join(folder.path, 'whole.json'))
  const events: AuthEvent[] = []
  const options = {
    resource,
    store,
    clientName: 'A test of the client',
    onEvent: (event: AuthEvent): void => void events.push(event),
  }
  const oauth = createOAuth({
    ...options,
    redirect: loopbackRedirect({ show: person.show }),
    scopes: ['notes:read'],
  })
  const tools = await connectTools(resource, { oauth })
  assert.equal(tools.server.revision, '2026-07-28')
  const read = await tools.call('read_notes')
  assert.match(String(read.content[0]?.text), /^the notes of [0-9a-f-]{36}$/)
  const added = await tools.call('add_note', { text: 'hello' })
  assert.match(String(added.content[0]?.text), / noted: hello$/)
  assert.deepEqual(
    person.pages.map(({ searchParams }) => searchParams.get('scope')?.split(' ').toSorted().join(' ')),
    ['notes:read offline_access', 'notes:read notes:write offline_access'],
  )
  assert.deepEqual(
    events.flatMap((event) => ('why' in event ? [event.why] : [])),
    ['sign-in', 'step-up'],
  )
  await tools.close()

  await makeDue(store)
  const later = createOAuth({ ...options, mayAsk: false })
  const again = await connectTools(resource, { oauth: later, era: 'legacy' })
  assert.equal(again.server.revision, '2025-11-25')
  assert.equal((await again.call('add_note', { text: 'again' })).isError, false)
  await again.close()
  assert.equal(events.filter(({ kind }) => kind === 'refreshed').length, 1)

  const grant = await store.grant(resource)
  const [client] = await store.clients(issuer)
  assert.ok(grant !== undefined && client !== undefined)
  assert.deepEqual(await later.signOut(), { isRevoked: true })
  await assert.rejects(later.token(), isClientError('sign_in_required'))
  assert.deepEqual([await store.grants(), await store.clients(issuer)], [[], []])

  // Whoever kept a copy has nothing.
  await store.setClient(client)
  await store.setGrant({ ...grant, expiresAt: 1, savedAt: 0 })
  await assert.rejects(later.token(), isClientError('sign_in_required'))
})

test('two processes whose token has expired refresh it once between them, each time, and the grant lives on', async () => {
  const path = join(folder.path, 'two.json')
  const store = tokenFile(path)
  const redirect = loopbackRedirect({ show: quickPerson().show })
  await createOAuth({ resource, store, redirect, scopes: ['notes:read'] }).signIn()
  for (const _round of [1, 2, 3]) {
    await makeDue(store)
    const children = [startChild(path), startChild(path)]
    await Promise.all(children.map((child) => once(child, 'message')))
    const reports = children.map((child) => once(child, 'message'))
    for (const child of children) child.send('go')
    const told = (await Promise.all(reports)).map(([report]) => Object(report))
    assert.deepEqual(
      told.map(({ statuses, error }) => [statuses, error]),
      [
        [[200, 200, 200, 200, 200], undefined],
        [[200, 200, 200, 200, 200], undefined],
      ],
    )
    assert.equal(told[0].refreshes + told[1].refreshes, 1)
  }
  await makeDue(store)
  const { accessToken } = await createOAuth({ resource, store, mayAsk: false }).token()
  assert.equal((await callTool(resource, accessToken)).status, 200)
})

test('a refresh token that somebody has used before ends the grant, and the person is asked', async () => {
  const person = quickPerson()
  const store = tokenFile(join(folder.path, 'stolen.json'))
  const redirect = loopbackRedirect({ show: person.show })
  const options = { resource, store, redirect, scopes: ['notes:read'] }
  await createOAuth(options).signIn()
  const stolen = await store.grant(resource)
  await makeDue(store)
  await createOAuth(options).token()
  assert.ok(stolen !== undefined)
  await store.setGrant({ ...stolen, expiresAt: 1, savedAt: 0 })
  const { accessToken } = await createOAuth(options).token()
  assert.equal((await callTool(resource, accessToken)).status, 200)
  assert.equal(person.pages.length, 2)
})

/** Somebody who signs in once and allows what they are asked, in no time. */
function quickPerson(): { readonly show: (page: URL) => Promise<void>; readonly pages: readonly URL[] } {
  const visitor = sitDownWithoutScripts(issuer)
  const pages: URL[] = []
  return {
    pages,
    show: async (url) => {
      const first = await visitor.open(url)
      const consent = pages.push(url) === 1 ? await enter(visitor, first) : first
      assert.equal((await fetch(await allow(visitor, consent))).status, 200)
    },
  }
}

/** As if its time were nearly over. */
async function makeDue(store: TokenStore): Promise<void> {
  const grant = await store.grant(resource)
  assert.ok(grant !== undefined)
  await store.setGrant({ ...grant, savedAt: Date.now() - 600_000, expiresAt: Date.now() })
}

function startChild(path: string): ChildProcess {
  return fork(join(import.meta.dirname, 'child-calls.ts'), [resource, path], {
    execArgv: [],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
}
