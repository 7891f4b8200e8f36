import { readFile, writeFile } from 'node:fs/promises'

const file = new URL('RESULTS.md', import.meta.url)

/** Replaces the section of this suite and leaves the others alone. */
export async function saveResults(suite: string, machine: string, table: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const [start, end] = [`<!-- ${suite} -->`, `<!-- end of ${suite} -->`]
  const date = new Date().toISOString().slice(0, 10)
  const section = `${start}\n\n${date}, ${machine}: \`npm run bench -- ${suite}\`\n\n${table}\n\n${end}`
  const [before, rest] = text.split(start)
  const after = rest?.split(end)[1]
  const kept =
    after === undefined ? `${text.trimEnd()}\n\n## ${suite}\n\n${section}\n` : `${before}${section}${after}`
  await writeFile(file, kept)
}
