import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fastify from 'fastify'
import { createLog } from './log.ts'

const random = (): string => randomBytes(18).toString('base64url')

const secrets = {
  bearer: `eyJhbGciOiJSUzI1NiJ9.${random()}.${random()}`,
  basic: Buffer.from(`user:${random()}`).toString('base64'),
  proxy: random(),
  cookie: random(),
  setCookie: random(),
  apiKey: `AIza${random()}`,
  dpop: `eyJ0eXAiOiJkcG9wK2p3dCJ9.${random()}.${random()}`,
  queryKey: random(),
  queryToken: random(),
  queryHarmless: random(),
  bodyPassword: random(),
  bodyText: random(),
  errorMessage: `AQ.${random()}`,
  cause: random(),
  pageToken: random(),
  configured: `${random()} with "quotes" & more`,
}

function serverThatLogsEverything(written: string[]) {
  const log = createLog({
    level: 'trace',
    secrets: [secrets.configured],
    destination: { write: (line) => written.push(line) },
  })
  const server = fastify({ loggerInstance: log })
  server.post('/things/:id', async (request, reply) => {
    reply.header('set-cookie', `sid=${secrets.setCookie}`)
    request.log.info(request, 'the request itself')
    request.log.info({ req: request, res: reply, raw: request.raw, rawReply: reply.raw })
    request.log.info({
      headers: request.headers,
      rawHeaders: request.raw.rawHeaders,
      body: request.body,
      query: request.query,
    })
    request.log.info({
      url: request.url,
      original: request.originalUrl,
      list: [[request.headers]],
      at: new URL(request.url, 'http://h'),
    })
    request.log.info({ context: { deep: [{ request }, { harmless: `plain ${secrets.configured}` }] } })
    request.log.info(`%s sent %j`, request.headers.authorization, request.headers)
    request.log.info(`Authorization: ${request.headers.authorization}`)
    server.log.warn({ nextPageToken: secrets.pageToken, list: [{ page_token: secrets.pageToken }] })
    throw Object.assign(
      new Error(`upstream refused ${secrets.errorMessage}`, { cause: { refresh_token: secrets.cause } }),
      {
        request,
        config: { headers: request.headers },
      },
    )
  })
  return server
}

test('a server that logs requests full of secrets writes none of them, and still says what happened', async () => {
  const written: string[] = []
  const server = serverThatLogsEverything(written)
  const response = await server.inject({
    method: 'POST',
    url: `/things/42?key=${secrets.queryKey}&access_token=${secrets.queryToken}&color=${secrets.queryHarmless}`,
    headers: {
      authorization: `Bearer ${secrets.bearer}`,
      'proxy-authorization': `Basic ${secrets.basic}`,
      'x-proxy-token': secrets.proxy,
      cookie: `sid=${secrets.cookie}; theme=dark`,
      'x-goog-api-key': secrets.apiKey,
      dpop: secrets.dpop,
      'user-agent': 'curl/8.0',
    },
    payload: { password: secrets.bodyPassword, contents: [{ parts: [{ text: secrets.bodyText }] }] },
  })
  await server.close()
  assert.equal(response.statusCode, 500)
  const output = written.join('')
  for (const [name, secret] of Object.entries(secrets)) {
    for (const part of [secret, ...secret.split('.')].filter((text) => text.length > 4 && text !== 'AQ')) {
      for (const form of [
        part,
        encodeURIComponent(part),
        JSON.stringify(part).slice(1, -1),
        Buffer.from(part).toString('base64'),
      ]) {
        assert.equal(output.includes(form), false, `${name} was written`)
      }
    }
  }
  const lines: Record<string, unknown>[] = written.map((line) => JSON.parse(line))
  const request = { method: 'POST', path: '/things/42', requestId: 'req-1', remoteAddress: '127.0.0.1' }
  assert.partialDeepStrictEqual(lines[0], {
    level: 'info',
    reqId: 'req-1',
    req: request,
    msg: 'incoming request',
  })
  assert.deepEqual(Object.keys(Object(lines[0]?.req)), Object.keys(request))
  assert.partialDeepStrictEqual(lines[1], { ...request, msg: 'the request itself' })
  assert.partialDeepStrictEqual(lines[3], { headers: { 'user-agent': 'curl/8.0' }, body: '[not logged]' })
  const failed = lines.find(({ level }) => level === 'error')
  assert.partialDeepStrictEqual(failed, { err: { type: 'Error', message: 'upstream refused [redacted]' } })
  assert.ok(lines.some(({ res }) => JSON.stringify(res) === '{"statusCode":500}'))
})

test('a request for an unknown path is logged without its query', async () => {
  const written: string[] = []
  const server = serverThatLogsEverything(written)
  await server.inject(`/nowhere?token=${secrets.queryToken}`)
  await server.close()
  assert.equal(written.join('').includes(secrets.queryToken), false)
  assert.match(written.join(''), /GET:\/nowhere\?token=\[redacted\] not found|"path":"\/nowhere"/)
})
