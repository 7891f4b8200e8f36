import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { allPages, readPage } from './command-blocks.ts'
import { checkout } from './shell-place.ts'

/** As GitHub makes the anchor of a heading. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = Array.from(readPage(page).matchAll(/^#+ (.+)$/gm), ([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

test('every link between our pages leads somewhere, to a heading that is there', () => {
  const broken = allPages().flatMap((page) =>
    Array.from(readPage(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g), ([, link = '']) => link)
      .filter((link) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? page : normalize(join(dirname(page), path))
        if (!existsSync(join(checkout, target))) return true
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)
      })
      .map((link) => `${page}: ${link}`),
  )
  assert.deepEqual(broken, [])
})
