import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeViolation } from './violation.ts'
import { violationsOf } from './violations.ts'

/** One planted file → what is said about it: the rule, the line and a word of the message. */
for (const [claim, path, text, expected] of [
  [
    'a part that is not allowed',
    'src/paging/a.ts',
    "\nimport { b } from '../store/b.ts'",
    '2: part-import: paging must not import store; allowed: failure',
  ],
  [
    'a part that is not allowed, for a type alone',
    'src/paging/a.ts',
    "import type { B } from '../store/b.ts'",
    '1: part-import: paging must not import store',
  ],
  [
    'a part that is not allowed, in a type expression',
    'src/paging/a.ts',
    "type B = import('../log/b.ts').B",
    '1: part-import: paging must not import log',
  ],
  [
    'the server, from the client',
    'src/client/a.ts',
    "import { Failure } from '../failure/failure.ts'",
    '1: part-import: client must not import failure; it may import none',
  ],
  [
    'a surface, from its neighbour',
    'src/mcp/a.ts',
    "import { b } from '../model-api/b.ts'",
    '1: part-import: mcp must not import model-api',
  ],
  [
    'the gateway, from the authority',
    'src/authority/a.ts',
    "import { b } from '../gateway/b.ts'",
    '1: part-import: authority must not import gateway',
  ],
  [
    'the gateway, from a command that does not serve',
    'src/cli/login.ts',
    "import { b } from '../gateway/b.ts'",
    '1: part-import: gateway may be imported only by serve.ts and serve-*.ts',
  ],
  [
    'the authority, from the command that serves',
    'src/cli/serve.ts',
    "import { b } from '../authority/b.ts'",
    '1: part-import: authority may be imported only by authority.ts and authority-*.ts',
  ],
  [
    'a part that is not allowed, from a test',
    'src/paging/a.test.ts',
    "import { b } from '../store/b.ts'",
    '1: part-import: paging must not import store',
  ],
  [
    'a folder that the table does not know',
    'src/store/a.ts',
    "import { b } from '../plugins/b.ts'",
    '1: part-import: src/plugins/b.ts belongs to no part',
  ],
  [
    'a package that is not allowed',
    'src/paging/a.ts',
    "import pg from 'pg'",
    '1: package-import: paging must not import the package pg; it may import none',
  ],
  [
    'a path inside a package that is not allowed',
    'src/http/a.ts',
    "import { Value } from 'typebox/value'",
    '1: package-import: http must not import the package typebox',
  ],
  [
    'a scoped package that is not allowed',
    'src/http/a.ts',
    "import { b } from '@fastify/cors'",
    '1: package-import: http must not import the package @fastify/cors',
  ],
  [
    "Node's own module without its prefix",
    'src/store/a.ts',
    "import { readFile } from 'fs'",
    '1: package-import: store must not import the package fs',
  ],
  [
    'the package itself, by name',
    'src/store/a.ts',
    "import { b } from 'postern/paging'",
    '1: package-import: store must not import the package postern',
  ],
  ['an absolute path', 'src/store/a.ts', "import '/etc/b.js'", '1: package-import: "/etc/b.js" is neither'],
  [
    'a URL',
    'src/store/a.test.ts',
    "import 'https://b.example/c.js'",
    '1: package-import: "https://b.example/c.js" is neither',
  ],
  [
    "a module of Node's that is not allowed",
    'src/failure/a.ts',
    "import { createHash } from 'node:crypto'",
    '1: builtin-import: failure must not import node:crypto; it may import none',
  ],
  [
    "a module of Node's in what browsers load",
    'src/client/a.ts',
    "import { createHash } from 'node:crypto'",
    '1: builtin-import: node:crypto may be imported only by files in src/client/node',
  ],
  [
    'the process module',
    'src/gateway/a.ts',
    "import { env } from 'node:process'",
    '1: builtin-import: node:process belongs to cli',
  ],
  [
    'child processes',
    'src/store/a.ts',
    "import { fork } from 'node:child_process'",
    '1: builtin-import: node:child_process belongs to cli',
  ],
  [
    'a path out of src',
    'src/http/a.ts',
    "import { b } from '../../scripts/b.mjs'",
    '1: outside-import: scripts/b.mjs is not part of the source',
  ],
  [
    'the test folder, from code',
    'src/http/a.ts',
    "import { b } from '../../test/b.ts'",
    '1: outside-import: test/b.ts is not part of the source',
  ],
  [
    'a path out of the checkout, from a test',
    'src/http/a.test.ts',
    "import { b } from '../../../b.ts'",
    '1: outside-import: ../b.ts is not part of the source',
  ],
  [
    'an import whose module is computed',
    'src/http/a.ts',
    'await import(`./\x24{name}.ts`)',
    '1: computed-import: an import must name its module',
  ],
  [
    'a require whose module is computed',
    'src/http/a.ts',
    'require(name)',
    '1: computed-import: an import must name its module',
  ],
  [
    "a part's public face, from inside",
    'src/store/a.ts',
    "import { b } from '../paging/public.ts'",
    '1: public-import: src/paging/public.ts is for users',
  ],
  [
    'a test, from code',
    'src/store/a.ts',
    "import { b } from './b.test.ts'",
    '1: test-import: src/store/b.test.ts is a test',
  ],
  [
    'a re-export',
    'src/store/a.ts',
    "export { b } from './b.ts'",
    '1: re-export: only src/store/public.ts re-exports',
  ],
  [
    'a re-export of everything',
    'src/store/a.ts',
    "export * from './b.ts'",
    '1: re-export: only src/store/public.ts re-exports',
  ],
  [
    'a re-export in two steps',
    'src/store/a.ts',
    "import { b } from './b.ts'\nexport { b }",
    '2: re-export: only src/store/public.ts re-exports',
  ],
  [
    'a re-export in a public.ts that is not the part’s',
    'src/store/deep/public.ts',
    "export { b } from '../b.ts'",
    '1: re-export: only src/store/public.ts re-exports',
  ],
  ['process', 'src/store/a.ts', '\n\nconst home = process.env.HOME', '3: process: process belongs to cli'],
  ['a file beside the parts', 'src/a.ts', '', '1: unknown-part: it belongs to no part'],
  ['a folder that is no part', 'src/plugins/a.ts', '', '1: unknown-part: it belongs to no part'],
  [
    'a script in the source that is not TypeScript',
    'src/store/a.js',
    "import 'express'",
    '1: package-import: store must not import the package express',
  ],
  ['a file that cannot be read', 'src/store/a.ts', "\nconst a = 'b", '2: unreadable: a string has no end'],
  ['a name that explains nothing', 'src/store/utils.ts', '', '1: banned-name: "utils" fits everything'],
  [
    'such a word at the end of a name',
    'src/store/sql-helpers.ts',
    '',
    '1: banned-name: "helpers" fits everything',
  ],
  [
    'such a word at the start of a name',
    'src/store/common-sql.test.ts',
    '',
    '1: banned-name: "common" fits everything',
  ],
  ['such a word between dots', 'src/store/key.types.ts', '', '1: banned-name: "types" fits everything'],
  ['such a folder', 'src/store/shared/sql.ts', '', '1: banned-name: "shared" fits everything'],
  ['such a file among the tests', 'test/misc/a.ts', '', '1: banned-name: "misc" fits everything'],
  [
    'a component of the console that goes round the client',
    'console/app.tsx',
    "import { b } from '../src/store/b.ts'\nconst c = <p>don't</p>",
    '1: part-import: console must not import store; allowed: client',
  ],
] as const) {
  test(`${claim} is caught, by file, line and rule`, () => {
    const [found, ...others] = violationsOf([{ path, text }]).map(describeViolation)
    assert.ok(found?.startsWith(`${path}:${expected}`), String(found))
    assert.deepEqual(others, [])
  })
}

test('a circle of files is caught and shown, through types too', () => {
  const files = [
    { path: 'src/store/a.ts', text: "\nimport { b } from './b.ts'" },
    { path: 'src/store/b.ts', text: "import type { C } from './deep/c.ts'" },
    { path: 'src/store/deep/c.ts', text: "import type { A } from '../a.ts'" },
    { path: 'src/store/d.ts', text: "import { a } from './a.ts'" },
  ]
  assert.deepEqual(violationsOf(files).map(describeViolation), [
    'src/store/deep/c.ts:1: cycle: files import each other in a circle: src/store/a.ts → src/store/b.ts → src/store/deep/c.ts → src/store/a.ts',
  ])
})

test('a file that imports itself is a circle', () => {
  const [found] = violationsOf([{ path: 'src/store/a.ts', text: "import { a } from './a.ts'" }])
  assert.equal(found?.rule, 'cycle')
})

test('every word that is banned is caught', () => {
  for (const word of ['utils', 'helpers', 'common', 'misc', 'shared', 'base', 'types', 'service', 'manager'])
    assert.equal(violationsOf([{ path: `src/store/${word}.ts`, text: '' }])[0]?.rule, 'banned-name', word)
})

test('what the table allows passes', () => {
  const files = [
    {
      path: 'src/paging/a.ts',
      text: "import { createHmac } from 'node:crypto'\nimport { Failure } from '../failure/failure.ts'",
    },
    {
      path: 'src/paging/public.ts',
      text: "export { a } from './a.ts'\nexport * from '../failure/failure.ts'",
    },
    { path: 'src/paging/public.test.ts', text: "import * as all from './public.ts'\nprocess.env.A" },
    {
      path: 'src/paging/a.test.ts',
      text: "import fc from 'fast-check'\nimport { DatabaseSync } from 'node:sqlite'\nimport { b } from '../../test/b.ts'\nimport(name)",
    },
    {
      path: 'src/store/a.ts',
      text: "import { sql } from 'kysely'\nimport { DatabaseSync } from 'node:sqlite'\nimport { a } from '../paging/a.ts'",
    },
    { path: 'src/config/a.ts', text: "import { Value } from 'typebox/value'\nawait import('yaml')" },
    { path: 'src/client/node/a.ts', text: "import { createHash } from 'node:crypto'" },
    { path: 'src/client/public-browser.ts', text: "export { a } from './a.ts'" },
    { path: 'src/cli/main.ts', text: "import { spawn } from 'node:child_process'\nprocess.exitCode = 1" },
    { path: 'src/cli/serve.ts', text: "import { startGateway } from '../gateway/start-gateway.ts'" },
    {
      path: 'src/cli/serve-gateway.ts',
      text: "import { startGateway } from '../gateway/start-gateway.ts'",
    },
    { path: 'src/cli/service-accounts.ts', text: '' },
    { path: 'src/paging/base64url.ts', text: "// import pg from 'pg'\nconst a = \"import pg from 'pg'\"" },
    { path: 'test/b.ts', text: "import { a } from '../src/store/a.ts'\nprocess.env.A" },
    {
      path: 'console/app.tsx',
      text: "import { useState } from 'react'\nimport { walk } from '../src/client/walk.ts'",
    },
  ]
  assert.deepEqual(violationsOf(files).map(describeViolation), [])
})
