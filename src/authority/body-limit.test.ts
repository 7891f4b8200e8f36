import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyLimit } from './body-limit.ts'
import type { Route } from './route.ts'

const handle = async (): Promise<void> => {}
const routes: readonly Route[] = [
  { method: 'POST', path: /^\/sign-in\/\w+$/, handle },
  { method: 'POST', path: /^\/large$/, largestBody: 50_000, handle },
  { method: 'POST', path: /^\/token$/, when: () => false, handle },
  { method: 'GET', path: /^\/page$/, handle },
]

test('a body is read where something takes one, and has 16 KiB unless it is said otherwise', () => {
  const cases = {
    'POST /sign-in/x': 16_384,
    'POST /large': 50_000,
    'POST /token': 32_768,
    'POST /Introspect/': 16_384,
    'POST /page': 0,
    'POST /authorize': 0,
    'POST /register': 0,
    'POST /token/x': 0,
    'GET /token': 0,
    'PUT /token': 0,
    'DELETE /large': 0,
  }
  const found = Object.keys(cases).map((line) => {
    const [method = '', path = ''] = line.split(' ')
    return [line, bodyLimit(routes, { method, path })]
  })
  assert.deepEqual(Object.fromEntries(found), cases)
})
