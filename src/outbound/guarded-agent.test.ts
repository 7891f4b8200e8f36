import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, isIP, type LookupFunction } from 'node:net'
import { after, before, test } from 'node:test'
import { request } from 'undici'
import { Failure } from '../failure/failure.ts'
import { guardedAgent, outboundComplaint } from './guarded-agent.ts'

let connections = 0
const server = createServer((_, reply) => reply.end('reached'))
server.on('connection', () => {
  connections += 1
})
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => server.close())

function urlOf(host: string): string {
  const address: AddressInfo | string | null = server.address()
  return `http://${host}:${typeof address === 'object' ? address?.port : ''}/`
}

/** A name server that answers with these addresses, whatever the name. */
function answering(...addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, options, callback) => {
    if (options.all === true) callback(null, found)
    else callback(null, found[0]?.address ?? '', found[0]?.family)
  }
}

async function isRefused(url: string, lookup?: LookupFunction): Promise<void> {
  const agent = guardedAgent({ allowPrivate: false, ...(lookup === undefined ? {} : { lookup }) })
  const before = connections
  await assert.rejects(request(url, { dispatcher: agent }), (error: unknown) => {
    assert.ok(error instanceof Failure)
    assert.equal(error.reason, 'private_address')
    return true
  })
  assert.equal(connections, before)
  await agent.close()
}

for (const host of ['127.0.0.1', '127.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0']) {
  test(`no connection is made to the literal ${host}`, () => isRefused(urlOf(host)))
}

test('no connection is made to a name of this machine', () => isRefused(urlOf('localhost')))

test('no connection is made to a public name that resolves to a private address', () =>
  isRefused(urlOf('api.example'), answering('127.0.0.1')))

test('one private address among public ones is enough to refuse the name', () =>
  isRefused(urlOf('api.example'), answering('8.8.8.8', '127.0.0.1')))

test('a name is judged anew for every connection', async () => {
  let asked = 0
  const agent = guardedAgent({
    allowPrivate: false,
    lookup: (name, options, callback) => {
      asked += 1
      answering('127.0.0.1')(name, options, callback)
    },
  })
  const call = async (): Promise<void> => {
    await request(urlOf('api.example'), { dispatcher: agent })
  }
  await assert.rejects(call, Failure)
  await assert.rejects(call, Failure)
  assert.equal(asked, 2)
  await agent.close()
})

test('allowPrivate connects, to the address that was looked up', async () => {
  const agent = guardedAgent({ allowPrivate: true, lookup: answering('127.0.0.1') })
  const { body } = await request(urlOf('api.example'), { dispatcher: agent })
  assert.equal(await body.text(), 'reached')
  await agent.close()
})

test('a URL is refused before any connection for plain http and for a private literal', () => {
  const complaints = (text: string, allowPrivate = false): boolean =>
    outboundComplaint(new URL(text), allowPrivate) !== undefined
  assert.deepEqual(
    [
      complaints('http://api.example/'),
      complaints('https://169.254.169.254/'),
      complaints('https://[::1]/'),
      complaints('https://api.example/'),
      complaints('http://127.0.0.1/', true),
    ],
    [true, true, true, false, false],
  )
})
