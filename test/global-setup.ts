import { provideChromium } from './chromium.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

let server: PostgresServer | undefined

/** Runs once before every test file: the services that the suites share. */
export async function globalSetup(): Promise<void> {
  await provideChromium()
  if (process.env.POSTERN_TEST_POSTGRES !== undefined) return
  server = await startPostgres()
  process.env.POSTERN_TEST_POSTGRES = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
