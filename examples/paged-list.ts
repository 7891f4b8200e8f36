// A list of 1,000 notes in all three styles: npm run example, then open an address it prints.
import { createServer } from 'node:http'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  compileCount,
  compilePage,
  createTokenCodec,
  definePager,
  Failure,
  type Page,
  type Pager,
  type Query,
  readCount,
  renderBody,
  renderHeaders,
  type Sort,
} from '../src/paging/public.ts'

interface Note {
  readonly id: string
  readonly created_at: number
  readonly text: string
}

const database = new DatabaseSync(':memory:')
database.exec(`CREATE TABLE notes (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, text TEXT NOT NULL);
  CREATE INDEX notes_by_time ON notes (created_at, id)`)
const insert = database.prepare('INSERT INTO notes VALUES (?, ?, ?)')
for (let n = 1; n <= 1000; n += 1)
  insert.run(`note-${n}`, 1_790_000_000_000_000 + Math.floor(n / 7), `Note ${n}`)

const newest: Sort<keyof Note> = [
  { column: 'created_at', type: 'integer', direction: 'descending' },
  { column: 'id', type: 'text', direction: 'descending', unique: true },
]
const tokens = createTokenCodec({ secrets: [process.env.PAGING_KEY ?? crypto.randomUUID()] })
const lists: Readonly<Record<string, Pager<Note>>> = {
  '/by-offset': definePager<Note>({ id: 'notes', style: 'offset', sorts: { newest } }),
  '/by-cursor': definePager<Note>({ id: 'notes', style: 'cursor', sorts: { newest }, tokens }),
  '/by-page-token': definePager<Note>({ id: 'notes', style: 'page-token', sorts: { newest }, tokens }),
}
const source = { sql: 'SELECT id, created_at, text FROM notes', params: [] }

const statuses: Readonly<Record<string, number>> = { 'invalid-request': 400, 'not-found': 404 }

const server = createServer((request, response) => {
  const [path = '', query = ''] = request.url?.split('?') ?? []
  try {
    const pager = lists[path]
    if (pager === undefined) throw new Failure('not-found', `try ${Object.keys(lists).join(', ')}`)
    const page = readPage(pager, new URLSearchParams(query))
    response.writeHead(200, { ...renderHeaders(page, path), 'content-type': 'application/json' })
    response.end(JSON.stringify(renderBody(page)))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    response.writeHead(statuses[error.code] ?? 500, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ code: error.reason, detail: error.message, recovery: error.recovery }))
  }
})

function readPage(pager: Pager<Note>, query: Query): Page<Note> {
  const request = pager.parse(query)
  const { sql, params } = compilePage(pager.plan(request), source, 'sqlite')
  const rows = database
    .prepare(sql)
    .all(...params.map(bindable))
    .map(readNote)
  const count = pager.count(request, rows.length)
  if (count === null) return pager.finish(request, rows)
  const counting = compileCount(count, source, 'sqlite')
  const counted = database.prepare(counting.sql).get(...counting.params.map(bindable))
  return pager.finish(request, rows, readCount(count, counted, 'sqlite'))
}

function readNote(row: object): Note {
  const { id, created_at, text }: { id?: unknown; created_at?: unknown; text?: unknown } = row
  return { id: String(id), created_at: Number(created_at), text: String(text) }
}

function bindable(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value
  throw new TypeError('this list binds only numbers and texts')
}

server.listen(Number(process.env.PORT ?? 8090), '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  for (const path of Object.keys(lists)) console.log(`http://127.0.0.1:${port}${path}`)
})
