import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool, textOf } from '../../test/mcp/tool-call.ts'
import { builtinSource } from './source-builtin.ts'

const tools = builtinSource({ now: () => Date.parse('2026-07-01T12:00:00Z') }).tools()

test('echo answers with its text', async () => {
  assert.equal(textOf(await callTool(tools, 'echo', { input: { text: 'hi' } })), 'hi')
})

test('time is told in UTC and in a zone, with its offset', async () => {
  const times = await Promise.all(
    [undefined, 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns'].map(async (zone) => {
      const input = zone === undefined ? {} : { zone }
      return (await callTool(tools, 'time', { input })).structuredContent
    }),
  )
  const utc = '2026-07-01T12:00:00.000Z'
  assert.deepEqual(times, [
    { utc, zone: 'UTC', local: '2026-07-01T12:00:00+00:00' },
    { utc, zone: 'Europe/Berlin', local: '2026-07-01T14:00:00+02:00' },
    { utc, zone: 'Asia/Kolkata', local: '2026-07-01T17:30:00+05:30' },
    { utc, zone: 'America/St_Johns', local: '2026-07-01T09:30:00-02:30' },
  ])
})

for (const zone of ['Nowhere/Land', '', '../etc', 'Europe/Berlin\n']) {
  test(`an unknown zone is an error in words: ${JSON.stringify(zone)}`, async () => {
    const result = await callTool(tools, 'time', { input: { zone } })
    assert.equal(result.isError, true)
    assert.match(textOf(result), /IANA/)
  })
}
