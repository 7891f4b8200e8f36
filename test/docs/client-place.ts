import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { ada } from '../authority/e2e-programs.ts'
import { input } from '../cli/call-postern.ts'
import { freePort } from '../free-port.ts'
import { type House, houseAddress, startHouse } from '../model-api/house.ts'
import { buildPackage } from './built-package.ts'
import { invitePerson } from './demo-person.ts'
import { checkout } from './shell-place.ts'

/** A folder with the package as it is published, in which the programs of a page run against what they call. */
export interface ClientPlace extends AsyncDisposable {
  readonly folder: string
  readonly house: House
  /** A program as it is written here: with the addresses that were free. */
  readonly meant: (text: string) => string
  /** Runs a file of the folder in a process of its own, with a person at the browser, and gives what it printed. */
  readonly run: (args: readonly string[]) => Promise<string>
}

/** Pages of `origin` may call, too. */
export async function openClientPlace(origin: string): Promise<ClientPlace> {
  await using stack = new AsyncDisposableStack()
  const outside = await mkdtemp(join(tmpdir(), 'postern-client-page-'))
  stack.defer(() => rm(outside, { recursive: true, maxRetries: 20 }))
  const folder = join(outside, 'folder')
  await installPackage(folder, join(outside, 'package'))
  const house = stack.use(await openHouse(origin))
  const person = stack.use(await invitePerson())
  person.sitDown(house.authorityUrl, ada.password)
  const example = await startExample()
  stack.defer(() => end(example.child))
  const account = await house.place.json(['service-accounts', 'create', 'nightly'])
  await writeFile(join(outside, 'nightly.json'), JSON.stringify(account))
  const env = {
    ...person.environment,
    PATH: process.env.PATH,
    HOME: outside,
    NODE_COMPILE_CACHE: join(outside, 'compiled'),
    GEMINI_API_KEY: await house.key(),
    GOOGLE_GEMINI_BASE_URL: house.url,
    GOOGLE_APPLICATION_CREDENTIALS: join(outside, 'nightly.json'),
    METADATA_SERVER_DETECTION: 'none',
  }
  const open = stack.move()
  return {
    folder,
    house,
    meant: (text) =>
      text
        .replaceAll('http://127.0.0.1:8080', house.url)
        .replaceAll('http://127.0.0.1:8090', `http://127.0.0.1:${example.port}`),
    run: async (args) => {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [...args], { cwd: folder, env })
      return stdout + stderr
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

async function installPackage(folder: string, installed: string): Promise<void> {
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  await mkdir(installed)
  await buildPackage(installed)
  for (const [name, target] of [
    ['postern', installed],
    ['@types', join(checkout, 'node_modules', '@types')],
    ['undici-types', join(checkout, 'node_modules', 'undici-types')],
  ] as const)
    await symlink(target, join(folder, 'node_modules', name), 'junction')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
}

/** As `npm start` has it, for the tools; Ada sits at Chromium, demo at the other browser. */
async function openHouse(origin: string): Promise<House> {
  const address = await houseAddress()
  const house = await startHouse(address, {
    authority: {
      scopes: {
        'demo:echo': { description: 'Hear back what was said' },
        'demo:time': { description: 'Tell the time' },
      },
    },
    more: {
      server: { port: address.port, publicUrl: address.url, allowedOrigins: [origin] },
      tools: {
        sources: [{ kind: 'builtin', scopes: { echo: ['demo:echo'], time: ['demo:time'] } }],
      },
    },
  })
  for (const login of ['demo', ada.login])
    await house.place.call(['authority', 'users', 'add', login], input(`${ada.password}\n`))
  return house
}

async function startExample(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort()
  const file = join(checkout, 'examples', 'paged-list.ts')
  const child = spawn(process.execPath, [file], { env: { ...process.env, PORT: String(port) } })
  await once(createInterface({ input: child.stdout }), 'line')
  return { child, port }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
