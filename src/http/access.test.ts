import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, plainServer } from '../../test/serving/plain-server.ts'
import { Failure } from '../failure/failure.ts'

test('a route without a declared access does not start, and the error names it', () => {
  const { server } = plainServer()
  assert.throws(
    () => server.post('/v1beta/secret', () => 'in'),
    (error) => error instanceof Failure && error.message.includes('POST /v1beta/secret'),
  )
})

test('a route inside a surface cannot slip through either', async () => {
  const { server } = plainServer()
  server.register(async (scope) => void scope.get('/x', () => 'in'), { prefix: '/surface' })
  await assert.rejects(async () => server.ready(), /GET \/surface\/x does not declare its access/)
})

test('an open route must say why it is open', () => {
  const { server } = plainServer()
  assert.throws(() => server.get('/', { config: { access: { open: ' ' } } }, () => 'in'), /does not declare/)
})

test('a declared route starts, with HEAD beside GET', async () => {
  const { server } = plainServer()
  server.get('/', open, () => 'in')
  assert.equal((await server.inject({ method: 'HEAD', url: '/' })).statusCode, 200)
})

test('a route behind a token says for which resource', async () => {
  const { server } = plainServer()
  server.get('/', { config: { access: { bearer: 'https://gate.example/mcp' } } }, () => 'in')
  assert.throws(
    () => server.get('/x', { config: { access: { bearer: '' } } }, () => 'in'),
    /does not declare/,
  )
  assert.equal((await server.inject('/')).statusCode, 200)
})
