import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenFilePath } from './token-file-path.ts'

for (const [platform, home, env, path] of [
  ['linux', '/home/ada', {}, '/home/ada/.local/state/postern/tokens.json'],
  ['linux', '/home/ada', { XDG_STATE_HOME: '/state' }, '/state/postern/tokens.json'],
  ['linux', '/home/ada', { XDG_STATE_HOME: 'state' }, '/home/ada/.local/state/postern/tokens.json'],
  ['linux', '/home/ada', { XDG_STATE_HOME: '' }, '/home/ada/.local/state/postern/tokens.json'],
  ['darwin', '/Users/ada', {}, '/Users/ada/Library/Application Support/postern/tokens.json'],
  ['win32', 'C:\\Users\\ada', {}, 'C:\\Users\\ada\\AppData\\Local\\postern\\tokens.json'],
  ['win32', 'C:\\Users\\ada', { LOCALAPPDATA: 'D:\\Local' }, 'D:\\Local\\postern\\tokens.json'],
] as const)
  test(`on ${platform} with ${JSON.stringify(env)} the file is ${path}`, () => {
    assert.equal(tokenFilePath(env, { platform, home }), path)
  })

test('the machine is the one the program runs on, unless another is given', () => {
  assert.match(tokenFilePath({}), /postern[\\/]tokens\.json$/)
})
