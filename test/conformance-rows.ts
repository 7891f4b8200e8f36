import { computed, titlesOf } from './test-titles.ts'

/** One row of docs/conformance.md. */
export interface ConformanceRow {
  readonly id: string
  readonly line: number
  readonly cells: readonly string[]
}

/** The text of a file from the root of the checkout; undefined where there is none. */
export type SourceOf = (path: string) => string | undefined

/** The rules of the specification that say "not shown" and nothing else. */
const withoutDemand: ReadonlySet<string> = new Set(['A-5.1.7', 'A-5.1.8'])

/** A row may begin so: what it proves is there for whoever embeds it, and the gateway does not serve it yet. */
const asLibrary = 'library; endpoint open'

export function rowsOf(page: string): readonly ConformanceRow[] {
  return page.split('\n').flatMap((text, index) => {
    const cells = text.startsWith('|') ? cellsOf(text) : []
    const [id = ''] = cells
    return cells.length === 0 || id === 'id' || /^-+$/.test(id) ? [] : [{ id, line: index + 1, cells }]
  })
}

/** Everything on the page that is not so. */
export function faultsOf(page: string, sourceOf: SourceOf): readonly string[] {
  const rows = rowsOf(page)
  const ids = rows.map(({ id }) => id)
  return rows.flatMap((row, index) => {
    const twice = ids.indexOf(row.id) === index ? [] : ['has the id of an earlier row']
    return [...twice, ...rowFaults(row, sourceOf)].map((fault) => `line ${row.line}: ${row.id} ${fault}`)
  })
}

function cellsOf(text: string): readonly string[] {
  const inside = text.trim().replace(/^\||\|$/g, '')
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function rowFaults({ id, cells }: ConformanceRow, sourceOf: SourceOf): readonly string[] {
  const [, demand = '', proof = ''] = cells
  if (!/^[ABC]-\d+(?:\.\w+)+$/.test(id)) return ['is no id of a rule']
  if (cells.length !== 3 || demand === '') return ['needs an id, what is demanded, and what proves it']
  if (/\bTBD\b/i.test(cells.join())) return ['is still to be filled in']
  if (proof === 'open' || (proof === 'no demand: "not shown"' && withoutDemand.has(id))) return []
  const citations = proof.split('<br>').map((line) => line.trim())
  if (citations[0] === asLibrary) citations.shift()
  if (citations.length === 0) return ['names no test and is not marked open']
  return citations.flatMap((citation) => citationFaults(citation, sourceOf))
}

function citationFaults(citation: string, sourceOf: SourceOf): readonly string[] {
  const [, path, title = ''] = /^`((?:src|test)\/[^`]+\.test\.ts)` › (.+)$/.exec(citation) ?? []
  if (path === undefined)
    return [`is neither "open" nor a test written as \`file.test.ts\` › title: ${citation}`]
  if (!/\p{L}{3}/u.test(title.replaceAll(computed, ' '))) return [`cites a title without words: ${title}`]
  const source = sourceOf(path)
  if (source === undefined) return [`cites ${path}, which does not exist`]
  return titlesOf(source).has(title) ? [] : [`cites a test that ${path} does not have: ${title}`]
}
