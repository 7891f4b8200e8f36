import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log/log.ts'
import { keyHash } from '../store/api-key-secret.ts'
import { type ApiKeys, createApiKeys } from '../store/api-keys.ts'
import { microsecondClock } from '../store/clock.ts'
import { openStore } from '../store/open-store.ts'
import type { LoadedConfig } from './load-config.ts'

/** Made once for a folder and kept there; a new one when the store does not know it or it was revoked. */
export async function ensureDevKey({ config, directory }: LoadedConfig, log: Log): Promise<string> {
  const path = join(directory, 'dev-api-key')
  const kept = (await readFile(path, 'utf8').catch(() => '')).trim()
  const store = await openStore(config.store, { log, directory })
  try {
    const keys = createApiKeys(store, microsecondClock())
    if (kept !== '' && (await isGood(kept, keys))) return kept
    const { key } = await keys.create({ name: 'dev', principal: 'dev' })
    await writeFile(`${path}.new`, `${key}\n`, { mode: 0o600 })
    await rename(`${path}.new`, path)
    return key
  } finally {
    await store.close()
  }
}

async function isGood(key: string, keys: Pick<ApiKeys, 'findByHash'>): Promise<boolean> {
  const row = await keys.findByHash(keyHash(key))
  return row !== undefined && row.revoked_at === null && row.expires_at === null
}
