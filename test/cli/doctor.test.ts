import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog } from '../../src/log/log.ts'
import { openStore } from '../../src/store/open-store.ts'
import { answerJson, startPatient } from '../client/doctor-servers.ts'
import { freePort } from '../free-port.ts'
import { startRedis } from '../redis-server.ts'
import { input, type Workplace, workplace } from './call-postern.ts'

interface Report {
  readonly ok: boolean
  readonly cause?: string
  readonly next: string
  readonly command?: string
  readonly checks: readonly { readonly name: string; readonly state: string; readonly detail: string }[]
}

const world = (place: Workplace): { readonly env: Record<string, string> } => ({
  env: { POSTERN_TOKEN_FILE: join(place.folder, 'tokens.json') },
})

async function examined(place: Workplace, args: readonly string[] = []): Promise<Report & { code: number }> {
  const { code, out } = await place.call(['doctor', ...args, '--json'], world(place))
  return { code, ...JSON.parse(out) }
}

function stateOf({ checks }: Report, name: string): string | undefined {
  return checks.find((check) => check.name === name)?.state
}

test('people see each check with a sign and its time, and in the end the one thing to do', async () => {
  await using patient = await startPatient()
  await using place = await workplace()
  const token = await patient.token({ aud: 'https://other.example/mcp' })
  const { code, out, err } = await place.call(['doctor', patient.resource, '--token', '-'], {
    ...world(place),
    ...input(`${token}\n`),
  })
  assert.deepEqual([code, err], [1, ''])
  assert.match(out, /^✓ reach {18}http:\S+\/mcp answers, with 401 \(\d+ ms\)$/m)
  assert.match(out, /^✗ audience {15}The token is for https:\/\/other\.example\/mcp/m)
  assert.match(
    out,
    /\n\nWhat to do: Get a token for this server: ask for it with resource=http:\S+\/mcp .*\n$/,
  )
  assert.equal(out.match(/What to do:/g)?.length, 1)
  for (const part of token.split('.')) assert.ok(!out.includes(part))
})

test('the token of the login is looked at, and a new login is the command to paste', async () => {
  await using patient = await startPatient()
  await using place = await workplace()
  patient.needs = ['notes:read', "it's; rm"]
  const { tokenFile } = await import('../../src/client/node/token-file.ts')
  const { resource, issuer } = patient
  const grant = {
    resource,
    audience: resource,
    issuer,
    clientId: 'c',
    scopes: ['notes:read'],
    savedAt: Date.now(),
  }
  const store = tokenFile(join(place.folder, 'tokens.json'))
  await store.setGrant({ ...grant, accessToken: await patient.token(), expiresAt: Date.now() + 600_000 })
  const { code, cause, command } = await examined(place, [resource])
  assert.deepEqual([code, cause], [1, 'scope_missing'])
  assert.equal(command, `postern login ${resource} --scope 'it'\\''s;' --scope rm`)
})

test('a sound server is exit code 0, and without a token the next step is a login', async () => {
  await using patient = await startPatient()
  await using place = await workplace()
  const { code, ok, command } = await examined(place, [patient.resource])
  assert.deepEqual([code, ok, command], [0, true, `postern login ${patient.resource}`])
})

test('a token is taken from standard input only', async () => {
  await using place = await workplace()
  const { code, err } = await place.call(['doctor', 'https://tools.example', '--token', 'secret-token'])
  assert.equal(code, 2)
  assert.match(err, /standard input, with --token -/)
  assert.ok(!err.includes('secret-token'))
})

test('without a URL the installation is examined, and a server that does not run is to be started', async () => {
  await using patient = await startPatient()
  await using place = await workplace(configuration({ issuer: patient.issuer, port: await freePort() }))
  const report = await examined(place)
  assert.deepEqual(
    report.checks.map(({ name, state }) => [name, state]),
    [
      ['configuration', 'ok'],
      ['store', 'skipped'],
      ['spool', 'ok'],
      ['shared', 'skipped'],
      ['authorization server', 'ok'],
      ['issuer', 'ok'],
      ['key set', 'ok'],
      ['reach', 'failed'],
    ],
  )
  assert.deepEqual([report.code, report.next, report.command], [1, 'Start the server.', 'postern serve'])
  const named = await examined(place, ['--config', 'postern.yaml'])
  assert.equal(named.command, 'postern serve --config postern.yaml')
  const env = { ...world(place).env, npm_command: 'exec' }
  const throughNpx = await place.call(['doctor', '--json'], { env })
  assert.equal(JSON.parse(throughNpx.out).command, 'npx postern serve')
})

test('a configuration that is wrong is the cause, with its first problem', async () => {
  await using place = await workplace('server: { porrt: 1 }\n')
  const { code, cause, next, checks } = await examined(place)
  assert.deepEqual([code, cause, checks.length], [1, 'configuration', 1])
  assert.match(next, /^Correct the configuration: postern\.yaml.*porrt/)
})

test('an issuer whose keys are not of the algorithms that the configuration accepts is found', async () => {
  await using patient = await startPatient()
  const { issuer } = patient
  await using place = await workplace(JSON.stringify({ issuers: [{ issuer, algorithms: ['RS256'] }] }))
  const { cause, next } = await examined(place)
  assert.equal(cause, 'no_usable_key')
  assert.match(next, /one of RS256/)
})

test('introspection that does not take the credentials of the configuration is found, and they are not shown', async () => {
  await using patient = await startPatient()
  patient.broken.set('/introspect', (_, response) => answerJson(response, { error: 'invalid_client' }, 401))
  const { issuer } = patient
  const introspection = {
    url: `${issuer}/introspect`,
    clientId: 'gateway',
    clientSecret: 'a-very-secret-secret',
  }
  const config = { issuers: [{ issuer, validate: 'introspection', introspection }] }
  await using place = await workplace(JSON.stringify(config))
  const report = await examined(place)
  assert.equal(report.cause, 'introspection_credentials')
  assert.ok(!JSON.stringify(report).includes('a-very-secret-secret'))
})

test('a store that is up to date passes, and one of a newer version is told', async () => {
  await using patient = await startPatient()
  await using place = await workplace(configuration({ issuer: patient.issuer, port: 1 }))
  const file = `sqlite:${join(place.folder, 'data', 'postern.db')}`
  const store = await openStore(file, { log: createLog({ level: 'silent' }) })
  const before = await examined(place)
  assert.deepEqual([stateOf(before, 'store'), stateOf(before, 'migrations')], ['ok', 'ok'])
  const row = { position: 99, name: 'of tomorrow', applied_at: 1 }
  await store.db.insertInto('postern_migrations').values(row).execute()
  await store.close()
  const { cause, next } = await examined(place)
  assert.equal(cause, 'newer_store')
  assert.match(next, /^Run that newer version/)
})

test('a Postgres that answers has its clock compared, and one that does not is the cause', async () => {
  await using patient = await startPatient()
  const sound = String(process.env.POSTERN_TEST_POSTGRES)
  await using place = await workplace(configuration({ issuer: patient.issuer, port: 1, store: sound }))
  const report = await examined(place)
  assert.deepEqual([stateOf(report, 'store'), stateOf(report, 'clock of the store')], ['ok', 'ok'])
  const silent = `postgres://postern:secret-password@127.0.0.1:${await freePort()}/postern`
  await using other = await workplace(configuration({ issuer: patient.issuer, port: 1, store: silent }))
  const broken = await examined(other)
  assert.equal(broken.cause, 'store')
  assert.ok(!JSON.stringify(broken).includes('secret-password'))
})

test('a spool that cannot be a folder is found', async () => {
  await using place = await workplace('audit: { spool: ./taken }\n')
  await writeFile(join(place.folder, 'taken'), '')
  const { cause, next } = await examined(place)
  assert.equal(cause, 'spool')
  assert.match(next, /audit\.spool/)
})

test('the shared counters are reached with their password, and a wrong one is told without it', async () => {
  const redis = await startRedis({ password: 'right-password' })
  try {
    const [right, wrong] = [redis.url, redis.url.replace('right', 'wrong')]
    await using sound = await workplace(`shared: ${right}\n`)
    assert.equal(stateOf(await examined(sound), 'shared'), 'ok')
    await using broken = await workplace(`shared: ${wrong}\n`)
    const report = await examined(broken)
    assert.equal(report.cause, 'shared_refused')
    assert.ok(!JSON.stringify(report).includes('wrong-password'))
    await redis.kill()
    assert.equal((await examined(sound)).cause, 'connection_refused')
  } finally {
    await redis.stop()
  }
})

interface Settings {
  readonly issuer: string
  readonly port: number
  readonly store?: string
}

function configuration({ issuer, port, store }: Settings): string {
  return JSON.stringify({
    server: { port },
    issuers: [{ issuer }],
    ...(store === undefined ? {} : { store }),
  })
}
