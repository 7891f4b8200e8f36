import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../failure/failure.ts'

/** The variables that a configuration refers to, by name. */
export type Secrets = Readonly<Record<string, string>>

/** A file of `NAME=value` beside a configuration, for a shell or a container to read. */
export interface SecretsFile {
  /** As it is shown and typed. */
  readonly file: string
  /** The names that are to be added; the others are there from before, and stay as they are. */
  readonly added: readonly string[]
  readonly isNew: boolean
  readonly write: () => Promise<void>
}

/** Looks what is there, and changes nothing yet. A secret that is in use stays, because what it sealed would be lost. */
export async function planSecretsFile(
  config: { readonly file: string; readonly path: string },
  secrets: Secrets,
): Promise<SecretsFile> {
  const name = nameFor(basename(config.path))
  const file = join(dirname(config.file), name)
  const path = join(dirname(config.path), name)
  const found = await contentOf(path, file)
  const added = Object.keys(secrets).filter((key) => found === undefined || !isSet(key, found.text))
  if (found !== undefined && added.length > 0 && !found.isPrivate)
    throw new Failure(
      'conflict',
      `${file} is there already and can be read by others, so no secret is added to it: "chmod 600 ${file}" first`,
    )
  const lines = added.map((key) => `${key}=${secrets[key]}\n`).join('')
  return {
    file,
    added,
    isNew: found === undefined,
    write: async () => {
      try {
        if (found === undefined) await writeFile(path, lines, { mode: 0o600, flag: 'wx', flush: true })
        else if (lines !== '') await appendFile(path, `${lineEnd(found.text)}${lines}`, { flush: true })
      } catch (cause) {
        throw cannot('written', file, cause)
      }
    },
  }
}

/** The usual file beside the usual configuration; others have one of their own name, and so secrets of their own. */
function nameFor(config: string): string {
  return config === 'postern.yaml' ? '.env' : `${config.replace(/\.ya?ml$/, '')}.env`
}

interface Found {
  readonly text: string
  readonly isPrivate: boolean
}

async function contentOf(path: string, file: string): Promise<Found | undefined> {
  try {
    return { text: await readFile(path, 'utf8'), isPrivate: ((await stat(path)).mode & 0o077) === 0 }
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cannot('read', file, cause)
  }
}

/** Empty quotes are nothing to a shell. */
function isSet(name: string, text: string): boolean {
  return new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}=(?!(?:""|'')+(?:\\s|$))[^\\s#]`, 'm').test(text)
}

function lineEnd(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n'
}

function cannot(done: string, file: string, cause: unknown): Failure {
  return new Failure('conflict', `${file}, for the secrets, cannot be ${done} (${codeOf(cause)})`, { cause })
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
}
