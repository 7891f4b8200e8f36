import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder, spawnPostern } from './spawn-postern.ts'

test('dev says what runs and where, and every command it prints works', async () => {
  await using folder = await freshFolder()
  await using postern = spawnPostern(['dev'], { cwd: folder.path })
  const text = await postern.says('Stop with Ctrl-C')
  assert.match(text, /gateway {2}http:\/\/127\.0\.0\.1:\d+/)
  assert.ok(existsSync(join(folder.path, 'data', 'dev.db')))
  const commands = [...text.matchAll(/^ +curl (.*)$/gm)].map(([, args = '']) => args)
  const statuses = await Promise.all(commands.map(curl))
  assert.deepEqual(statuses, [200, 200, 421, 405])
  postern.child.kill('SIGINT')
  assert.equal(await postern.ended(), 0)
  assert.match(postern.out(), /Stopped\.\n$/)
})

test('two started together take two ports, and the one that comes later says why', async () => {
  await using first = await freshFolder()
  await using second = await freshFolder()
  await using one = spawnPostern(['dev'], { cwd: first.path })
  await using two = spawnPostern(['dev'], { cwd: second.path })
  const texts = await Promise.all([one.says('Stop with Ctrl-C'), two.says('Stop with Ctrl-C')])
  const urls = texts.map((text) => /gateway {2}(\S+)/.exec(text)?.[1])
  assert.notEqual(urls[0], urls[1])
  assert.match(texts.join(''), /\(8080 is taken\)/)
})

test('dev below npm stops when the shell between them is killed', { timeout: 30_000 }, async () => {
  await using folder = await freshFolder()
  const env = { npm_lifecycle_event: 'start' }
  await using postern = spawnPostern(['dev'], { cwd: folder.path, env, isBelowShell: true })
  await postern.says('Stop with Ctrl-C')
  postern.child.kill('SIGKILL')
  await postern.says('Stopped.')
  await postern.ended()
})

test('dev is quiet about requests unless asked', async () => {
  await using folder = await freshFolder()
  for (const [args, lines] of [
    [['dev'], 0],
    [['dev', '--verbose'], 1],
  ] as const) {
    await using postern = spawnPostern(args, { cwd: folder.path })
    const text = await postern.says('Stop with Ctrl-C')
    await curl(/^ +curl (\S+\/healthz)$/m.exec(text)?.[1] ?? '')
    postern.child.kill('SIGTERM')
    await postern.ended()
    assert.equal(postern.out().match(/"path":"\/healthz"/g)?.length ?? 0, lines)
  }
})

/** The few options of curl that the output uses. */
async function curl(args: string): Promise<number | undefined> {
  const { header, method, url } =
    /^(?:-H 'Host: (?<header>[^']+)' )?(?:-X (?<method>[A-Z]+) )?(?<url>\S+)$/.exec(args)?.groups ?? {}
  assert.ok(url, `not understood: curl ${args}`)
  const sent = request(url, {
    agent: false,
    ...(method && { method }),
    ...(header && { headers: { host: header } }),
  })
  sent.end()
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
  return response.statusCode
}
