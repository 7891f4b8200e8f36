import { dumpDatabase, readFiles } from './secret-search-dump.ts'
import { noteTime, watchContent } from './secret-search-notes.ts'

/** Has what a gateway left in a folder searched before the folder is removed: databases and records, not what an operator wrote. */
export function watchFolder(folder: string): void {
  const start = performance.now()
  const files = readFiles(folder, (name) => /\.(?:db|db-wal|log)$/.test(name))
  noteTime(start)
  watchContent(files)
}

/** Has every table of a Postgres database searched before it is dropped; of very long ones, a part. */
export async function watchDatabase(url: string): Promise<void> {
  const start = performance.now()
  const tables = await dumpDatabase(url, 20_000)
  noteTime(start)
  watchContent(tables)
}
