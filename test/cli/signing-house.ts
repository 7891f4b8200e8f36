import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Io } from '../../src/cli/io.ts'
import { openBrowser } from '../authority/people-browser.ts'
import { type House, houseAddress, startHouse } from '../model-api/house.ts'
import { input, type Outcome } from './call-postern.ts'

/** The gateway with tools and a model, the authority, and Ada, who has an account there. */
export interface SigningHouse extends AsyncDisposable {
  readonly house: House
  readonly visit: (world?: Partial<Io>) => Promise<Visitor>
}

/** Ada at a terminal of her own, with nothing kept from before. */
export interface Visitor extends AsyncDisposable {
  readonly call: (args: readonly string[], world?: Partial<Io>) => Promise<Outcome>
  readonly json: (args: readonly string[], world?: Partial<Io>) => Promise<unknown>
  /** The pages that were opened in her browser, where she signs in and allows what she is asked. */
  readonly pages: readonly URL[]
  readonly openPage: (page: URL) => Promise<boolean>
  readonly tokenFile: string
  readonly env: Readonly<Record<string, string>>
}

const ada = { login: 'ada', password: 'correct horse battery' } as const

export async function startSigningHouse(toolSettings: object = {}): Promise<SigningHouse> {
  const tools = fileURLToPath(new URL('../conformance/note-tools.ts', import.meta.url))
  const more = fileURLToPath(new URL('./typed-tools.ts', import.meta.url))
  const house = await startHouse(await houseAddress(), {
    authority: {
      scopes: { 'notes:read': { description: 'Read notes' }, 'notes:write': { description: 'Write notes' } },
    },
    more: {
      tools: {
        pageSize: 2,
        ...toolSettings,
        sources: [
          { kind: 'module', path: tools },
          { kind: 'module', path: more },
        ],
      },
    },
  })
  await house.place.call(['authority', 'users', 'add', ada.login], input(`${ada.password}\n`))
  return {
    house,
    visit: (world = {}) => visit(house, world),
    [Symbol.asyncDispose]: () => house[Symbol.asyncDispose](),
  }
}

async function visit(house: House, around: Partial<Io>): Promise<Visitor> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-visitor-'))
  const tokenFile = join(folder, 'tokens.json')
  const browser = openBrowser(house.authorityUrl)
  const pages: URL[] = []
  const openPage = async (page: URL): Promise<boolean> => {
    const first = await browser.open(page.href)
    const asked = pages.length === 0 ? await browser.submit(first, '/enter', { ...ada }) : first
    pages.push(page)
    const back = await browser.submit(asked, '/allow')
    await fetch(back.url)
    return true
  }
  const env = { POSTERN_TOKEN_FILE: tokenFile, POSTERN_URL: house.url }
  const here = { openPage, env, cwd: folder, ...around }
  return {
    pages,
    openPage,
    tokenFile,
    env,
    call: (args, world = {}) => house.place.call(args, { ...here, ...world }),
    json: (args, world = {}) => house.place.json(args, { ...here, ...world }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
