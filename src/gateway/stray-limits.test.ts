import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../config/parse-config.ts'
import { createLog } from '../log/log.ts'
import { builtinSource } from '../mcp/source-builtin.ts'
import { warnOfStrayLimits } from './stray-limits.ts'

function warnings(limits: string): unknown[] {
  const lines: unknown[] = []
  const log = createLog({ destination: { write: (line) => lines.push(JSON.parse(line).tools) } })
  const config = parseConfig(`limits: ${limits}`, { file: 'x.yaml', env: {} })
  warnOfStrayLimits(config.limits, [{ source: builtinSource() }], log)
  return lines
}

test('a limit for what is no tool is named in a warning', () => {
  assert.deepEqual(warnings('{ tools: { echo: 5, ehco: 5, toString: 5 } }'), [['ehco', 'toString']])
})

test('limits for tools that are there give no warning', () => {
  assert.deepEqual(warnings('{ tools: { echo: 5, time: { requestsPerDay: 5 } } }'), [])
  assert.deepEqual(warnings('{}'), [])
})
