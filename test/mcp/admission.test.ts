import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { defineTool } from '../../src/mcp/define-tool.ts'
import { officialClients } from '../conformance/official-clients.ts'
import { countingAdmission, quotaMessage } from '../serving/counting-admission.ts'
import { portOf } from '../serving/raw-connection.ts'
import { legacy, modern } from './messages.ts'
import { serveTools } from './tool-server.ts'

const input = Type.Object({}, { additionalProperties: false })
let runs = 0
const tools = [
  defineTool({
    name: 'free',
    description: '',
    scopes: [],
    input,
    run: () => {
      runs += 1
      return 'done'
    },
  }),
  defineTool({ name: 'closed', description: '', scopes: ['notes:read'], input, run: () => 'done' }),
]
const eras = [
  ['the newer era', modern],
  ['the older era', legacy],
] as const

for (const [era, message] of eras)
  for (const isLate of [false, true])
    for (const refuses of ['request', 'target'] as const)
      test(`in ${era} a ${refuses} over its limit is 429 with words and a time${isLate ? ', also when that is known later' : ''}`, async () => {
        const served = serveTools({ tools, admission: countingAdmission({ refuses, isLate }) })
        const before = runs
        const { body, options } = message('tools/call', { name: 'free' })
        const response = await served.post(body, options)
        assert.equal(response.statusCode, 429)
        assert.equal(response.headers['retry-after'], '12')
        const { code, message: words, data } = response.json().error
        assert.deepEqual([code, words], [429, quotaMessage])
        const requestId = response.headers['x-request-id']
        assert.deepEqual(data, { reason: 'quota', retryAfterSeconds: 11.5, requestId })
        assert.equal(runs, before)
        assert.deepEqual(
          served.decisions.map(({ outcome, reason, status, principal }) => [
            outcome,
            reason,
            status,
            principal?.subject,
          ]),
          [['deny', 'quota', 429, 'alice']],
        )
      })

for (const [era, message] of eras)
  test(`in ${era} every request is counted once, and a tool only when it is called by someone who may`, async () => {
    for (const isLate of [false, true]) {
      const admission = countingAdmission({ isLate })
      const { post } = serveTools({ tools, admission })
      const statuses: number[] = []
      for (const { body, options } of [
        message('tools/list'),
        message('tools/call', { name: 'free' }),
        message('tools/call', { name: 'closed' }),
        message('tools/list', {}, { token: 'bad' }),
      ])
        statuses.push((await post(body, options)).statusCode)
      assert.deepEqual(statuses, [200, 200, 403, 401])
      assert.deepEqual(admission.asked, [
        'request alice -',
        'request alice -',
        'target alice tool:free',
        'request alice -',
      ])
    }
  })

for (const client of officialClients)
  test(`${client.name} reads which limit was passed, at ${client.revision}`, async () => {
    const { server } = serveTools({ tools, admission: countingAdmission({ refuses: 'target' }) })
    await server.listen({ port: 0, host: '127.0.0.1' })
    const connection = await client.connect(`http://127.0.0.1:${portOf(server.server)}/mcp`, { token: 'ann' })
    await assert.rejects(connection.call('free', {}), (error) => String(error).includes(quotaMessage))
    await connection.close()
    await server.close()
  })
