import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { provideChromium } from './chromium.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { provideRedis } from './redis-server.ts'
import { makeTemplate } from './store/template-database.ts'

let server: PostgresServer | undefined

/** Runs once before every test file: the services that the suites share. */
export async function globalSetup(): Promise<void> {
  // Hundreds of processes load the same modules: what one has compiled, the next one takes.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../node_modules/.cache/compiled', import.meta.url),
  )
  await provideChromium()
  await provideRedis()
  process.env.POSTERN_TEST_SECRETS = join(await mkdtemp(join(tmpdir(), 'postern-secrets-')), 'searched')
  if (process.env.POSTERN_TEST_POSTGRES !== undefined) return
  server = await startPostgres()
  process.env.POSTERN_TEST_POSTGRES = server.url
  process.env.POSTERN_TEST_TEMPLATE = await makeTemplate(server.url)
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
  await tellOfSearch(process.env.POSTERN_TEST_SECRETS ?? '')
}

/** Every test file has searched what it left behind, and has failed if it found something; here is how much that was. */
async function tellOfSearch(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '')
  await rm(dirname(file), { recursive: true })
  const total = { secrets: 0, places: 0, bytes: 0, milliseconds: 0, findings: 0 }
  for (const line of text.split('\n').slice(0, -1)) {
    const part: Partial<typeof total> = JSON.parse(line)
    total.secrets += part.secrets ?? 0
    total.places += part.places ?? 0
    total.bytes += part.bytes ?? 0
    total.milliseconds += part.milliseconds ?? 0
    total.findings += part.findings ?? 0
  }
  const { secrets, places, bytes, milliseconds, findings } = total
  const size = `${places} tables, files and logs (${Math.ceil(bytes / 2 ** 20)} MB)`
  const outcome = findings === 0 ? 'none was found' : `${findings} found`
  console.error(`searched ${size} for ${secrets} secrets in ${Math.ceil(milliseconds / 1000)} s: ${outcome}`)
}
