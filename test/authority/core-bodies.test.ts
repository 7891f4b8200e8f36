import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { startAlone } from './core-authority.ts'

const core = await startAlone()
after(() => core[Symbol.asyncDispose]())

/** What comes back until the server closes the connection, which we leave open. */
function untilClosed(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(core.url).port), '127.0.0.1').setEncoding('utf8')
    let answer = ''
    socket.on('data', (part: string) => {
      answer += part
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
    socket.write(text)
  })
}

test('a body larger than its endpoint takes is refused, whether or not its length was told', async () => {
  for (const [path, most] of [
    ['/token', 32_768],
    ['/TOKEN/', 32_768],
    ['/revoke', 16_384],
    ['/end-session/confirm', 16_384],
    ['/register', 49_152],
  ] as const) {
    const bodies = ['a'.repeat(most), 'a'.repeat(most + 1), new Blob(['a'.repeat(most + 1)]).stream()]
    const statuses: boolean[] = []
    for (const body of bodies) {
      const { status } = await fetch(core.url + path, { method: 'POST', body, duplex: 'half' })
      statuses.push(status === 413)
    }
    assert.deepEqual(statuses, [false, true, true], path)
  }
})

test('a body that nobody would read is not waited for', async () => {
  for (const [line, answer] of [
    ['POST /nothing', /^HTTP\/1.1 404/],
    ['PUT /token', /^HTTP\/1.1 404/],
    ['POST /authorize', /^HTTP\/1.1 404/],
    ['GET /jwks', /^HTTP\/1.1 200/],
  ] as const) {
    const half = `Host: ${new URL(core.url).host}\r\nContent-Length: 1000\r\n\r\nthe beginning`
    // It ends when the connection does, which is not kept for what is left.
    assert.match(await untilClosed(`${line} HTTP/1.1\r\n${half}`), answer)
  }
})

test('bodies that are under way have 16 MiB together; beyond that a caller is asked to come back', async () => {
  await using full = await startAlone()
  const { host, port } = new URL(full.url)
  const half = `POST /register HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 49152\r\n\r\n${'a'.repeat(49_000)}`
  const refused = Promise.withResolvers<string>()
  const sockets = Array.from({ length: 350 }, () => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
    socket.on('error', () => {}).on('data', refused.resolve)
    socket.write(half)
    return socket
  })
  const answer = await refused.promise
  assert.match(
    answer,
    /^HTTP\/1.1 503 [\s\S]*\r\nretry-after: 5\r\n[\s\S]*"error":"temporarily_unavailable"/i,
  )
  for (const socket of sockets) socket.destroy()
  const whole = { method: 'POST', body: 'a'.repeat(49_000), headers: { 'content-type': 'application/json' } }
  const statusNow = (): Promise<number> =>
    fetch(`${full.url}/register`, whole).then(
      ({ status }) => status,
      () => 0,
    )
  while ((await statusNow()) !== 400);
})
