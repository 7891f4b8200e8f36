import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireLibrary } from './library.ts'

test('without the package the configuration is at fault, and the message says how to install it', () => {
  const resolve = (name: string): string => import.meta.resolve(`${name}-that-nobody-installed`)
  assert.throws(() => requireLibrary(resolve), {
    code: 'misconfigured',
    field: 'models',
    message: /npm i node-llama-cpp @node-llama-cpp\/linux-x64 --omit=optional --ignore-scripts/,
  })
})

test('with the package nothing is loaded yet', () => {
  requireLibrary((name) => import.meta.resolve(name.replace('node-llama-cpp', 'undici')))
})
