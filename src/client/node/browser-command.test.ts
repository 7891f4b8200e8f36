import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserCommand } from './browser-command.ts'

const page = new URL('https://issuer.example/authorize?a=1&b=2')

for (const [platform, env, expected] of [
  ['darwin', {}, ['open', page.href]],
  ['win32', {}, ['rundll32', 'url.dll,FileProtocolHandler', page.href]],
  ['linux', { DISPLAY: ':0' }, ['xdg-open', page.href]],
  ['linux', { WAYLAND_DISPLAY: 'wayland-0' }, ['xdg-open', page.href]],
  ['linux', { BROWSER: 'firefox:chromium' }, ['firefox', page.href]],
  ['linux', { WSL_DISTRO_NAME: 'Debian' }, ['wslview', page.href]],
  ['linux', { DISPLAY: '' }, undefined],
  ['linux', {}, undefined],
] as const)
  test(`on ${platform} with ${JSON.stringify(env)} the page is shown by ${expected?.[0] ?? 'nothing'}`, () => {
    const found = browserCommand(page, { platform, env })
    assert.deepEqual(found === undefined ? undefined : [found.command, ...found.args], expected)
  })

test('only pages of the web are shown', () => {
  assert.equal(browserCommand(new URL('file:///etc/passwd'), { platform: 'darwin', env: {} }), undefined)
})
