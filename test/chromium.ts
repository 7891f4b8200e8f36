import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

/** What of the machine matters to find a Chromium or to install one. */
export interface Machine {
  /** The value of `POSTERN_CHROMIUM`. */
  readonly named: string | undefined
  readonly isRoot: boolean
  readonly isFile: (path: string) => boolean
  readonly run: (program: string, args: readonly string[]) => Promise<void>
  readonly tell: (progress: string) => void
}

/** A browser with a profile of its own. The flags keep it from talking to anybody but the tests. */
export async function openChromium(): Promise<Browser> {
  const executablePath = findChromium(thisMachine)
  if (executablePath === undefined) throw new Error(howToGetOne)
  return chromium.launch({ executablePath, headless: true, args: flags })
}

/** Installs Chromium where that is possible and needed; who then still finds none is told what to do. */
export async function provideChromium(machine: Machine = thisMachine): Promise<void> {
  if (findChromium(machine) !== undefined || !machine.isRoot || !machine.isFile(apt)) return
  machine.tell('installing Chromium with apt-get, because the tests sign in with a real browser …')
  const install = (): Promise<void> => machine.run(apt, ['install', ...aptOptions, 'chromium'])
  try {
    // A fresh machine has no list of packages yet.
    await install().catch(() => machine.run(apt, ['update']).then(install))
    machine.tell('Chromium is installed')
  } catch (error) {
    machine.tell(`apt-get could not install Chromium: ${error instanceof Error ? error.message : ''}`)
  }
}

export function findChromium({ named, isFile }: Pick<Machine, 'named' | 'isFile'>): string | undefined {
  if (named === undefined || named === '') return usualPlaces.find(isFile)
  if (isFile(named)) return named
  throw new Error(`POSTERN_CHROMIUM names ${named}, which does not exist`)
}

const usualPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
] as const

export const howToGetOne = `the tests sign in with a real browser, and there is no Chromium on this machine.
  Debian, Ubuntu: sudo apt-get install chromium (npm test does it by itself as root)
  macOS: brew install --cask chromium
  or name the program of yours: POSTERN_CHROMIUM=/path/to/chrome npm test`

const apt = '/usr/bin/apt-get'
/** Another test run may be installing at the same time. */
const aptOptions = ['-y', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300'] as const

/** The address bar's own pages and a renderer in reserve, for each window: half of what a test costs. */
const unused = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
]
/** What Playwright turns off: of two lists Chromium reads the last, so ours has to hold both. */
const unsteady = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

const flags = [
  `--disable-features=${[...unsteady, ...unused].join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const thisMachine: Machine = {
  named: process.env.POSTERN_CHROMIUM,
  isRoot: process.getuid?.() === 0,
  isFile: existsSync,
  run: async (program, args) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await promisify(execFile)(program, [...args], { env, maxBuffer: 2 ** 26 })
  },
  tell: (progress) => console.error(progress),
}
