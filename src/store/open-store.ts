import { microsecondClock } from './clock.ts'
import { type ConnectOptions, connect } from './connect.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import type { Store, StoreSchema } from './store.ts'

/** Opens Postern's own store and brings its tables up to date. */
export async function openStore(url: string, options: ConnectOptions): Promise<Store> {
  const store = await connect<StoreSchema>(url, options)
  try {
    await migrate(store, migrations, { log: options.log, now: microsecondClock() })
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}
