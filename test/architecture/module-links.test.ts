import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsOf } from './module-links.ts'

for (const source of [
  "import 'x'",
  "import a from 'x'",
  "import a, { b } from 'x'",
  "import * as a from 'x'",
  "import { a as b, type c, default as d } from 'x'",
  "import { 'a b' as c } from 'x'",
  "import type { a } from 'x'",
  "import type a from 'x'",
  "import { from } from 'x'",
  "import a from 'x' with { type: 'json' }",
  "import {\n  a, // import 'z'\n} from 'x'",
  "const a = await import('x')",
  "const a = import('x', { with: {} })",
  "const a = import.defer('x')",
  "type A = import('x').A",
  "let a: typeof import('x')",
  "const a = require('x')",
  "const a = `\x24{await import('x')}`",
  "import '.'\nimport a from 'x'",
  "import a = require('x')",
])
  test(`${JSON.stringify(source)} links to x`, () => {
    const { links } = factsOf(source)
    assert.equal(links.at(-1)?.specifier, 'x')
    assert.equal(links.at(-1)?.isReExport, false)
  })

for (const source of [
  "export * from 'x'",
  "export * as a from 'x'",
  "export type * from 'x'",
  "export { a } from 'x'",
  "export { type a, b as c } from 'x'",
  "export type { a } from 'x'",
])
  test(`${JSON.stringify(source)} is a re-export of x`, () => {
    assert.deepEqual(factsOf(source).links, [{ line: 1, specifier: 'x', isReExport: true }])
  })

for (const source of [
  "// import 'x'",
  "/* import a from 'x' */",
  `const a = "import 'x'"`,
  "const a = `import 'x'`",
  "const a = /import 'x'/",
  'import.meta.url',
  "a.import('x')",
  "a?.require('x')",
  "const a = { import: 'x', export: 'y' }",
  'class A { import() {} }',
  "export const a = 'x'",
  'export type A = { from: string }',
  "export { a }\nconst from = 'x'",
  "export default 'x'",
])
  test(`${JSON.stringify(source)} links to nothing`, () => {
    assert.deepEqual(factsOf(source).links, [])
  })

for (const source of [
  'import(a)',
  'import(`./\x24{a}.ts`)',
  "import('./a' + b)",
  'require(a)',
  'import(`x`)',
])
  test(`${JSON.stringify(source)} is an import that cannot be known`, () => {
    assert.deepEqual(factsOf(source).links, [{ line: 1, specifier: null, isReExport: false }])
  })

for (const source of [
  "import { a } from 'x'\nexport { a }",
  "import a from 'x'\nexport { a as b }",
  "import type { a } from 'x'\nexport type { a }",
  "import { b as a } from 'x'\nexport { c, type a }",
])
  test(`${JSON.stringify(source)} re-exports on its second line`, () => {
    assert.deepEqual(factsOf(source).indirectReExports, [2])
  })

test('a list of own names is no re-export', () => {
  assert.deepEqual(factsOf("import { a } from 'x'\nconst b = a\nexport { b as a }").indirectReExports, [])
})

for (const [source, uses] of [
  ['process.exit()', 1],
  ['f({ ...process.env })', 1],
  ['const { env } = process', 1],
  ['const { process: p } = globalThis', 1],
  ['globalThis.process.env', 1],
  ['globalThis?.process', 1],
  ["globalThis['process']", 1],
  ['worker.process', 0],
  ['worker?.process()', 0],
  ["// process\nconst a = 'process'", 0],
  ['processes + preprocess', 0],
  ["row['process']", 0],
] as const)
  test(`${JSON.stringify(source)} uses process ${uses} times`, () => {
    assert.equal(factsOf(source).processUses.length, uses)
  })
