import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What `postern dev` makes up once for a folder, and keeps. */
export interface DevSecrets {
  /** Seals the keys of the authority. */
  readonly authority: string
  readonly demoPassword: string
  /** Of the client for scripts. */
  readonly script: string
}

export interface DevPorts {
  readonly gateway: number
  readonly authority: number
}

const devFolder = 'data'
export const devConfigFile = 'data/dev.yaml'
/** A home for the Gemini CLI, so that it leaves the one of the user alone. */
export const geminiHome = 'data/gemini-cli'

export async function devSecrets(cwd: string): Promise<DevSecrets> {
  const folder = join(cwd, devFolder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return {
    authority: await kept(join(folder, 'dev-secret'), randomSecret),
    demoPassword: await kept(join(folder, 'dev-demo-password'), readablePassword),
    script: await kept(join(folder, 'dev-script-secret'), randomSecret),
  }
}

/** Readable by its owner alone, as it holds secrets. */
export async function writeDevConfig(cwd: string, ports: DevPorts, secrets: DevSecrets): Promise<void> {
  const path = join(cwd, devConfigFile)
  await writeFile(`${path}.new`, devConfig(ports, secrets), { mode: 0o600 })
  // At once, because the other program reads it.
  await rename(`${path}.new`, path)
  await mkdir(join(cwd, geminiHome, '.gemini'), { recursive: true })
  await writeFile(join(cwd, geminiHome, '.gemini', 'settings.json'), `${JSON.stringify(geminiSettings)}\n`)
}

/** Without these the Gemini CLI asks how to sign in, or refuses to work without a terminal. */
const geminiSettings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
}

/** Of two that start at once in one folder, one writes and both read the same. */
async function kept(path: string, make: () => string): Promise<string> {
  try {
    await writeFile(path, `${make()}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return (await readFile(path, 'utf8')).trim()
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Three groups of two syllables each, some 38 bits: enough behind a throttle on one machine. */
function readablePassword(): string {
  const syllable = (): string => pickOne('bdfghjklmnprstvwz') + pickOne('aeiou')
  return Array.from({ length: 3 }, () => syllable() + syllable()).join('-')
}

function pickOne(letters: string): string {
  return letters[randomInt(letters.length)] ?? ''
}

function devConfig(ports: DevPorts, secrets: DevSecrets): string {
  return `# Written by "postern dev" at each start; changes made here are lost. To make it yours, copy it to postern.yaml,
# put secrets of your own into environment variables (openssl rand -base64 32), and run "postern serve" and
# "postern authority". Every key: docs/configuration.md

store: sqlite:./dev.db # relative to this file
audit: { spool: ./spool }

server:
  port: ${ports.gateway}

# Whose tokens the gateway takes: here those of the authority below.
issuers:
  - issuer: http://127.0.0.1:${ports.authority}

tools:
  sources:
    - kind: builtin
      scopes:
        echo: ["demo:echo"]
        time: ["demo:time"]
        # Off unless named here, because real models cost money.
        generate_text: ["demo:generate"]
        list_models: ["demo:generate"]

# The embedded model. It also answers to the names that clients have built in.
models:
  - { name: tiny, engine: story }
aliases: { "gemini-*": tiny, "*embedding*": tiny }

authority:
  port: ${ports.authority}
  secret: ${JSON.stringify(secrets.authority)}
  # What people are asked to allow, in plain words.
  scopes:
    demo:echo: { description: Hear back what was said }
    demo:time: { description: Tell the time }
    demo:generate: { description: Have the models write texts }
  # A client that gets tokens for itself, without a browser: for scripts. All others introduce themselves.
  clients:
    - id: script
      name: Scripts on this machine
      secret: ${JSON.stringify(secrets.script)}
      grants: [client_credentials]

log: { level: "\${POSTERN_LOG_LEVEL:-info}" }
`
}
