#!/usr/bin/env node
// In a checkout the program runs from its TypeScript; the published package holds only the built JavaScript.
import { existsSync } from 'node:fs'
import module from 'node:module'

const oldest = 24
if (Number(process.versions.node.split('.')[0]) < oldest) {
  console.error(`postern needs Node ${oldest} or newer; this is ${process.version}.`)
  console.error('Inside a checkout, "npx postern …" and "npm start" use the Node that the project brings.')
  process.exit(2)
}
// A third off every start but the first.
module.enableCompileCache()
const source = new URL('../src/cli/main.ts', import.meta.url)
const built = new URL('../dist/cli/main.js', import.meta.url)
await import(existsSync(source) ? source.href : built.href)
