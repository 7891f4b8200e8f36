import { CompiledQuery, type Kysely } from 'kysely'
import { compileCount, readCount } from '../paging/compile-count.ts'
import { compilePage } from '../paging/compile-page.ts'
import type { Page } from '../paging/page.ts'
import type { PageRequest } from '../paging/page-request.ts'
import type { Pager } from '../paging/pager.ts'
import type { Statement } from '../paging/sql-writer.ts'
import type { Store } from './store.ts'

export interface StoredList<Key extends object, Row extends Key> {
  readonly pager: Pager<Key>
  readonly request: PageRequest
  /** The whole list: a query of columns and filters, without order and limit. */
  readonly query: { readonly compile: () => CompiledQuery<Row> }
}

/** Reads one page. Where the list is counted, page and count come out of one snapshot of the data. */
export async function readPage<Schema, Key extends object, Row extends Key>(
  store: Store<Schema>,
  list: StoredList<Key, Row>,
): Promise<Page<Row>> {
  if (!list.pager.counts) return readWith(store.db, store.dialect, list)
  const transaction = store.db.transaction().setAccessMode('read only')
  const snapshot =
    store.dialect === 'postgres' ? transaction.setIsolationLevel('repeatable read') : transaction
  return snapshot.execute((db) => readWith(db, store.dialect, list))
}

async function readWith<Schema, Key extends object, Row extends Key>(
  db: Kysely<Schema>,
  dialect: Store['dialect'],
  { pager, request, query }: StoredList<Key, Row>,
): Promise<Page<Row>> {
  const { sql, parameters } = query.compile()
  const source: Statement = { sql, params: parameters }
  const rows = await run<Schema, Row>(db, compilePage(pager.plan(request), source, dialect))
  const count = pager.count(request, rows.length)
  if (count === null) return pager.finish(request, rows)
  const [counted] = await run<Schema, object>(db, compileCount(count, source, dialect))
  return pager.finish(request, rows, readCount(count, counted, dialect))
}

async function run<Schema, Row>(db: Kysely<Schema>, { sql, params }: Statement): Promise<readonly Row[]> {
  const query: CompiledQuery<Row> = CompiledQuery.raw(sql, [...params])
  return (await db.executeQuery(query)).rows
}
