import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { Io } from '../../src/cli/io.ts'
import { lineInput } from '../../src/cli/line-input.ts'
import { run } from '../../src/cli/run.ts'
import { noteSecret, noteSecretsIn, watchOutput } from '../records/secret-search-notes.ts'
import { watchFolder } from '../records/secret-search-places.ts'

export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A folder with a configuration, in which commands are called without a process of their own. */
export interface Workplace extends AsyncDisposable {
  readonly folder: string
  readonly call: (args: readonly string[], world?: Partial<Io>) => Promise<Outcome>
  /** What a command with `--json` prints. */
  readonly json: (args: readonly string[], world?: Partial<Io>) => Promise<unknown>
  /** What a list prints with `--json`: an object on each line. */
  readonly lines: (args: readonly string[], world?: Partial<Io>) => Promise<Record<string, unknown>[]>
}

export const sealingSecret = 'kJ8s/3fQx0aVt7YpLm2Rz9Wc5Ue1Nb4H'

export async function workplace(config = `authority: { secret: ${sealingSecret} }\n`): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-commands-'))
  await writeFile(join(folder, 'postern.yaml'), config)
  const call = (args: readonly string[], world: Partial<Io> = {}): Promise<Outcome> =>
    callPostern(args, { cwd: folder, ...world })
  const outOf = async (args: readonly string[], world?: Partial<Io>): Promise<string> => {
    const { code, out, err } = await call([...args, '--json'], world)
    if (code !== 0) throw new Error(`exit code ${code}: ${err}`)
    return out
  }
  return {
    folder,
    call,
    json: async (args, world) => JSON.parse(await outOf(args, world)),
    lines: async (args, world) =>
      (await outOf(args, world))
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    [Symbol.asyncDispose]: async () => {
      watchFolder(folder)
      await rm(folder, { recursive: true })
    },
  }
}

/** The world of a program whose standard input holds this. */
export function input(text: string): Partial<Io> {
  return { readInput: async () => text }
}

async function callPostern(args: readonly string[], world: Partial<Io>): Promise<Outcome> {
  const seen = { out: '', err: '' }
  const io: Io = {
    out: (text) => {
      seen.out += text
    },
    err: (text) => {
      seen.err += text
    },
    askHidden: undefined,
    openLines: () => lineInput({ input: Readable.from([]), output: new PassThrough(), isTerminal: false }),
    readKey: undefined,
    openPage: async () => false,
    screen: () => undefined,
    isAttended: false,
    passwordCost: { logarithm: 4, blockSize: 8, parallelism: 1 },
    env: {},
    cwd: '/',
    hasColor: false,
    elapsed: () => 0,
    onSignal: () => {},
    holdSignals: () => () => {},
    onOrphaned: () => {},
    onCrash: () => {},
    onRejection: () => {},
    exit: () => {},
    ...world,
    readInput: async () => {
      const text = (await world.readInput?.()) ?? ''
      // Elsewhere people type prompts and arguments.
      if (args[0] === 'authority') noteSecret('a password', text.trim())
      return text
    },
  }
  const code = await run(args, io)
  keepSecrets(args, seen)
  return { code, ...seen }
}

/** What a command shows once is noted, and what any other says is searched. */
function keepSecrets(args: readonly string[], { out, err }: Pick<Outcome, 'out' | 'err'>): void {
  const name = `what postern ${args.slice(0, 3).join(' ')} printed`
  watchOutput(name, () => err)
  if (!showing.some((word) => args.includes(word))) {
    watchOutput(name, () => out)
    return
  }
  for (const [key] of out.matchAll(/postern_[\w-]{43}/g)) noteSecret('an API key', key)
  if (out.startsWith('{')) noteSecretsIn(JSON.parse(out))
}

const showing = ['create', 'rotate', 'add', 'password', 'secret', 'dev']
