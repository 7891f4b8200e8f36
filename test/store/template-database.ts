import pg from 'pg'
import { createLog } from '../../src/log/log.ts'
import { openStore } from '../../src/store/open-store.ts'

/** Made once in a run, on a server that nobody else uses: hundreds of databases are copies of it. */
export async function makeTemplate(serverUrl: string): Promise<string> {
  const name = 'postern_template'
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(`create database ${name}`)
    const url = new URL(serverUrl)
    url.pathname = `/${name}`
    const store = await openStore(url.href, { log: createLog({ level: 'silent' }) })
    await store.close()
    // Whoever were connected to it would keep others from copying it.
    await client.query(`alter database ${name} allow_connections false`)
  } finally {
    await client.end()
  }
  return name
}
