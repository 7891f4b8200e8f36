import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listen } from '../../src/http/listen.ts'
import { open, plainServer } from './plain-server.ts'
import { portOf, rawConnection, rawExchange } from './raw-connection.ts'
import { withServer } from './with-server.ts'

const close = 'Connection: close\r\n'
const answered: readonly (readonly [string, string, number])[] = [
  ['a plain request', `GET / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`, 200],
  ['no Host', `GET / HTTP/1.1\r\n${close}\r\n`, 400],
  ['no Host on a probe', `GET /probe HTTP/1.1\r\n${close}\r\n`, 400],
  ['an HTTP/1.0 probe without Host', 'GET /probe HTTP/1.0\r\n\r\n', 200],
  ['an HTTP/1.0 request without Host', 'GET / HTTP/1.0\r\n\r\n', 400],
  ['an empty Host', `GET / HTTP/1.1\r\nHost:\r\n${close}\r\n`, 400],
  ['two Hosts', `GET / HTTP/1.1\r\nHost: localhost\r\nhOST: evil.example\r\n${close}\r\n`, 400],
  ['a foreign Host', `GET / HTTP/1.1\r\nHost: evil.example\r\n${close}\r\n`, 421],
  ['a foreign Host on a probe', `GET /probe HTTP/1.1\r\nHost: 10.0.0.7\r\n${close}\r\n`, 200],
  ['the absolute form', `GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`, 200],
  ['the absolute form in capitals', `GET HTTP://LOCALHOST/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`, 200],
  [
    'an absolute form for another server',
    `GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`,
    400,
  ],
  [
    'a Host other than the absolute form',
    `GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n${close}\r\n`,
    400,
  ],
  [
    'an absolute form for a foreign server',
    `GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n${close}\r\n`,
    421,
  ],
  [
    'an absolute form with userinfo',
    `GET http://localhost@evil.example/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`,
    400,
  ],
  [
    'an absolute form of another scheme',
    `GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`,
    400,
  ],
  [
    'a foreign Host that expects 100-continue',
    `POST /echo HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n${close}\r\n`,
    421,
  ],
  [
    'a foreign Host with an expectation nobody knows',
    `GET / HTTP/1.1\r\nHost: evil.example\r\nExpect: tea\r\n${close}\r\n`,
    421,
  ],
  ['an expectation nobody knows', `GET / HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n${close}\r\n`, 200],
  [
    'a length over the limit that expects 100-continue',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n',
    413,
  ],
  ['the asterisk form', `OPTIONS * HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`, 400],
  [
    'two Origins',
    `GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example\r\n${close}\r\n`,
    403,
  ],
  ['a request line that is none', 'HELLO\r\n\r\n', 400],
  ['TLS on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['a space in the target', 'GET / x HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n', 400],
  ['a bare line feed inside a header', 'GET / HTTP/1.1\r\nHost: localhost\r\nX: a\n b\r\n\r\n', 400],
  ['headers of 20 KB', `GET / HTTP/1.1\r\nHost: localhost\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a target of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
  [
    'a length and chunks at once',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
  ],
  [
    'two lengths',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    400,
  ],
  [
    'a broken chunk',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    400,
  ],
  [
    'a length over the limit',
    'POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n"',
    413,
  ],
  [
    'chunks over the limit',
    `POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n${'x'.repeat(2000)}\r\n`,
    413,
  ],
]

for (const [what, request, status] of answered)
  test(`${what} is answered with ${status} on the wire, and the server lives on`, async () => {
    await withServer({}, async (port) => {
      const answer = await rawExchange(port, request)
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), answer)
      if (status >= 400) assert.match(answer, /\r\ncontent-type: application\/problem\+json\r\n/)
      assert.match(
        await rawExchange(port, `GET / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`),
        /^HTTP\/1\.1 200 .*hello$/s,
      )
    })
  })

test('pipelined requests are answered one by one, in their order', async () => {
  await withServer({}, async (port) => {
    const paths = ['/', '/nowhere', '/', '/%zz', '/']
    const text = paths.map(
      (path, index) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: n${index}\r\n\r\n`,
    )
    const connection = await rawConnection(port)
    connection.send(`${text.join('')}GET / HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`)
    const answer = await connection.closed()
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
    const ids = [...answer.matchAll(/x-request-id: (n\d)/g)].map(([, id]) => id)
    assert.deepEqual(statuses, ['200', '404', '200', '400', '200', '200'])
    assert.deepEqual(ids, ['n0', 'n1', 'n2', 'n3', 'n4'])
  })
})

test('rubbish behind a request does not take the place of its answer', async () => {
  const parts = plainServer()
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  parts.server.get('/slow', open, async () => {
    await held
    return 'the answer'
  })
  await listen(parts.server, { host: '127.0.0.1', port: 0 })
  const connection = await rawConnection(portOf(parts.server.server))
  connection.send('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\nRUBBISH\r\n\r\n')
  connection.send('more rubbish')
  setImmediate(release)
  const answer = await connection.closed()
  assert.match(answer, /^HTTP\/1\.1 200 .*\r\nconnection: close\r\n.*the answer$/is)
  await parts.server.close()
})

test('connections over the maximum are refused, and the log says so once', async () => {
  await withServer({ maxConnections: 1 }, async (port, { lines }) => {
    const first = await rawConnection(port)
    first.send('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await first.until('hello')
    assert.equal(await (await rawConnection(port)).closed(), '')
    assert.equal(await (await rawConnection(port)).closed(), '')
    assert.equal(lines.filter(({ level }) => level === 'warn').length, 1)
    first.socket.destroy()
  })
})
