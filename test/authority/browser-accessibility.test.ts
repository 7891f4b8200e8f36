import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openChromium } from '../chromium.ts'
import { stumblingBlocks } from './browser-accessibility.ts'

const browser = await openChromium()
after(() => browser.close())
const page = await browser.newPage()

const fine = {
  head: '<title>A page</title><style>body { background: #fff } button { padding: 10px }</style>',
  body: '<h1>A page</h1><h2>A part</h2><label for="x">Name</label><input id="x" name="x"><button>Go</button>',
}

async function blocksOf({ lang = ' lang="en"', head = fine.head, body = fine.body }): Promise<string> {
  await page.setContent(
    `<!doctype html><html${lang}><head>${head}</head><body><main>${body}</main></body></html>`,
  )
  return (await stumblingBlocks(page)).join('; ')
}

test('a page without stumbling blocks passes', async () => {
  assert.equal(await blocksOf({}), '')
})

const faults: readonly { what: string; page: Parameters<typeof blocksOf>[0]; says: RegExp }[] = [
  { what: 'no language', page: { lang: '' }, says: /no language/ },
  { what: 'no title', page: { head: '<style>body { background: #fff }</style>' }, says: /no title/ },
  { what: 'a field without a label', page: { body: `${fine.body}<input name="y">` }, says: /field y has no/ },
  {
    what: 'a button that says nothing',
    page: { body: `${fine.body}<button></button>` },
    says: /says nothing/,
  },
  {
    what: 'a heading too deep',
    page: { body: `${fine.body}<h4>Deep</h4>` },
    says: /leave out a level: 1 2 4/,
  },
  { what: 'two first headings', page: { body: `${fine.body}<h1>Again</h1>` }, says: /one first heading/ },
  {
    what: 'text that is too faint',
    page: { body: `${fine.body}<p style="color: #999">Faint</p>` },
    says: /"Faint" has a contrast of 2\.85, and needs 4\.5/,
  },
  {
    what: 'a page wider than its window',
    page: { body: `${fine.body}<div style="width: 3000px">.</div>` },
    says: /wider/,
  },
]

for (const { what, page, says } of faults)
  test(`the check notices ${what}`, async () => {
    assert.match(await blocksOf(page), says)
  })
