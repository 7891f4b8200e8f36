import { once } from 'node:events'
import { sql } from 'kysely'
import { openDatabase } from './engines.ts'

const store = await openDatabase(String(process.argv[2]))
process.send?.('ready')
await once(process, 'message')
for (let turn = 0; turn < 300; turn += 1) {
  await store.db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ n: number }>`select n from counter`.execute(transaction)
    await sql`update counter set n = ${Number(rows[0]?.n) + 1}`.execute(transaction)
  })
}
process.send?.('done')
await store.close()
process.disconnect?.()
