import { readdirSync, readFileSync } from 'node:fs'
import { commands } from '../../src/cli/commands.ts'

const root = new URL('../../', import.meta.url)

/** A block of shell commands on a page. */
export interface CommandBlock {
  readonly text: string
  /** Why the tests leave it out, as its first line tells the reader. */
  readonly leftOut: string | undefined
}

/** Everything that is written for users: the pages at the root, and all below `docs`. */
export function allPages(): readonly string[] {
  const below = readdirSync(new URL('docs', root), { recursive: true, encoding: 'utf8' })
  const docs = below.map((name) => `docs/${name.replaceAll('\\', '/')}`)
  return [...readdirSync(root), ...docs].filter((name) => name.endsWith('.md')).toSorted()
}

export function readPage(page: string): string {
  return readFileSync(new URL(page, root), 'utf8')
}

/** The blocks of one language, as they stand. */
export function blocksOf(page: string, language: string): readonly string[] {
  const fence = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms')
  return Array.from(readPage(page).matchAll(fence), ([, text = '']) => text)
}

export function commandBlocks(page: string): readonly CommandBlock[] {
  return blocksOf(page, 'sh').map((text) => ({ text, leftOut: mark.exec(text)?.[1] }))
}

const mark = /^# not run by the tests(?: as it stands)?: (.+)\n/

/** The blocks that can be typed today, as they stand. */
export function typedBlocks(page: string): readonly string[] {
  return commandBlocks(page).flatMap((block) =>
    block.leftOut === undefined && missingCommands(block).length === 0 ? [block.text] : [],
  )
}

/** Commands of ours that a block calls and that do not exist: the words that follow `npx postern`. */
export function missingCommands({ text }: CommandBlock): readonly string[] {
  const called = Array.from(text.matchAll(/\bnpx postern ((?:[a-z][a-z-]* ?)+)/g), ([, words = '']) => words)
  return called.filter((words) => !commands.some(({ name }) => `${words.trim()} `.startsWith(`${name} `)))
}
