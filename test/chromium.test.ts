import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findChromium, howToGetOne, type Machine, openChromium, provideChromium } from './chromium.ts'

interface Bare {
  readonly machine: Machine
  readonly commands: string[]
  readonly told: string[]
}

/** A machine with these files alone; `installs` says what a command does to them. */
function bareMachine(files: string[], { isRoot = true, installs = succeeds }: BareOptions = {}): Bare {
  const commands: string[] = []
  const told: string[] = []
  const machine: Machine = {
    named: undefined,
    isRoot,
    isFile: (path) => files.includes(path),
    run: async (program, args) => {
      commands.push([program, ...args].join(' '))
      installs(commands.length, args)
      if (args[0] === 'install') files.push('/usr/bin/chromium')
    },
    tell: (progress) => told.push(progress),
  }
  return { machine, commands, told }
}

interface BareOptions {
  readonly isRoot?: boolean
  readonly installs?: (count: number, args: readonly string[]) => void
}

function succeeds(): void {}

test('the Chromium of this machine starts, shows a page and ends', async () => {
  await using browser = await openChromium()
  const page = await browser.newPage()
  await page.setContent('<title>There</title><h1>A page</h1>')
  assert.equal(await page.title(), 'There')
})

test('a Chromium in one of the usual places is found', () => {
  const { machine } = bareMachine(['/usr/bin/google-chrome'])
  assert.equal(findChromium(machine), '/usr/bin/google-chrome')
})

test('the one that POSTERN_CHROMIUM names comes first', () => {
  const { machine } = bareMachine(['/usr/bin/chromium', '/opt/chrome'])
  assert.equal(findChromium({ ...machine, named: '/opt/chrome' }), '/opt/chrome')
})

test('one that POSTERN_CHROMIUM names and that is not there is an error, whatever else there is', () => {
  const { machine } = bareMachine(['/usr/bin/chromium'])
  assert.throws(() => findChromium({ ...machine, named: '/opt/none' }), /POSTERN_CHROMIUM names \/opt\/none/)
})

test('nothing is installed where a Chromium is', async () => {
  const { machine, commands } = bareMachine(['/usr/bin/chromium', '/usr/bin/apt-get'])
  await provideChromium(machine)
  assert.deepEqual(commands, [])
})

test('root of a Debian gets it by apt-get, and is told', async () => {
  const { machine, commands, told } = bareMachine(['/usr/bin/apt-get'])
  await provideChromium(machine)
  assert.deepEqual(commands, [
    '/usr/bin/apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 chromium',
  ])
  assert.equal(findChromium(machine), '/usr/bin/chromium')
  assert.match(told.join('\n'), /installing Chromium .*\nChromium is installed/)
})

test('a Debian without a list of packages reads it first', async () => {
  const { machine, commands } = bareMachine(['/usr/bin/apt-get'], {
    installs: (count) => {
      if (count === 1) throw new Error('Unable to locate package chromium')
    },
  })
  await provideChromium(machine)
  assert.equal(commands[1], '/usr/bin/apt-get update')
  assert.equal(findChromium(machine), '/usr/bin/chromium')
})

test('an installation that fails is told, and leaves the failure to those who need a browser', async () => {
  const { machine, told } = bareMachine(['/usr/bin/apt-get'], {
    installs: () => {
      throw new Error('no network')
    },
  })
  await provideChromium(machine)
  assert.match(told.at(-1) ?? '', /could not install Chromium: no network/)
  assert.equal(findChromium(machine), undefined)
})

test('who is not root, or has no apt-get, gets nothing installed, and the message says what to do', async () => {
  for (const { machine, commands } of [
    bareMachine(['/usr/bin/apt-get'], { isRoot: false }),
    bareMachine([]),
  ]) {
    await provideChromium(machine)
    assert.deepEqual([commands, findChromium(machine)], [[], undefined])
  }
  for (const way of ['apt-get install chromium', 'brew install', 'POSTERN_CHROMIUM='])
    assert.ok(howToGetOne.includes(way), way)
})
