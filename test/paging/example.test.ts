import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cursorPages } from '../../src/client/cursor-pages.ts'
import { offsetPages } from '../../src/client/offset-pages.ts'
import { pageTokenPages } from '../../src/client/page-token-pages.ts'
import { walk } from '../../src/client/walk.ts'

const example = new URL('../../examples/paged-list.ts', import.meta.url)
const page = new URL('../../docs/paging.md', import.meta.url)

test('docs/paging.md shows the example as it is (UPDATE=1 rewrites it)', async () => {
  const code = (await readFile(example, 'utf8')).replace('../src/paging/public.ts', 'postern/paging')
  const block = `<!-- example -->\n\n\`\`\`ts\n${code.trimEnd()}\n\`\`\`\n\n## Rules`
  const text = await readFile(page, 'utf8')
  const shown = /<!-- example -->[\s\S]*?## Rules/.exec(text)?.[0]
  if (process.env.UPDATE === '1')
    await writeFile(
      page,
      text.replace(shown ?? '', () => block),
    )
  else assert.equal(shown, block)
})

test('the example serves the same 1,000 notes in all three styles to our own client', async () => {
  const server = spawn(process.execPath, [fileURLToPath(example)], {
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const urls: string[] = []
    for await (const line of createInterface({ input: server.stdout })) if (urls.push(line) === 3) break
    const [byOffset = '', byCursor = '', byPageToken = ''] = urls
    const walks = [
      walk(offsetPages(byOffset, { limit: 37 })),
      walk(cursorPages(byCursor, { limit: 37 })),
      walk(pageTokenPages(byPageToken, { pageSize: 37 }), { prefetch: true }),
    ]
    const lists = await Promise.all(walks.map(textsOf))
    assert.equal(new Set(lists[0]).size, 1000)
    assert.deepEqual(lists[1], lists[0])
    assert.deepEqual(lists[2], lists[0])
  } finally {
    server.kill()
    await once(server, 'exit')
  }
})

async function textsOf(notes: AsyncIterable<unknown>): Promise<string[]> {
  const texts: string[] = []
  for await (const note of notes) texts.push(JSON.stringify(note))
  return texts
}
