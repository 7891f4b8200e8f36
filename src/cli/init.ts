import { randomBytes } from 'node:crypto'
import { access, rename, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Failure } from '../failure/failure.ts'
import { type Call, type Command, type CommandOption, hasFlag, printJson, textOption } from './command.ts'
import { collectAnswers } from './init-answers.ts'
import { questions } from './init-questions.ts'
import { planSecretsFile, type Secrets } from './init-secrets.ts'
import { nextSteps } from './init-steps.ts'
import { geminiVariable, initYaml, secretVariables } from './init-yaml.ts'
import { programName } from './program-name.ts'

export const init: Command = {
  name: 'init',
  group: 'Programs',
  summary: 'ask a few questions, and write a postern.yaml with comments',
  options: {
    ...Object.fromEntries(
      questions.map(({ name, text, placeholder }): [string, CommandOption] => [
        name,
        { type: 'string', placeholder, description: text },
      ]),
    ),
    config: {
      type: 'string',
      placeholder: 'FILE',
      description: 'The file to write (default ./postern.yaml).',
    },
    yes: { type: 'boolean', description: 'Ask nothing: what no option says is as usual.' },
    force: { type: 'boolean', description: 'Replace a file that is there.' },
    json: { type: 'boolean', description: 'Print JSON: { file, secrets, variables }.' },
  },
  details: [
    'New secrets are written to .env beside it (NAME.env beside another NAME.yaml), and what that file holds already is',
    'kept. Both are readable by you alone. An option answers its question.',
  ].join('\n'),
  example: 'postern init --yes --public-url https://gate.example --issuer https://login.example',
  run: async (call) => {
    const file = textOption(call, 'config') ?? 'postern.yaml'
    if (file === '') throw new Failure('invalid-request', '--config must name a file, and is empty')
    const path = resolve(call.io.cwd, file)
    if (!hasFlag(call, 'force') && (await isThere(path))) throw isTaken(file)
    const answers = await collectAnswers(call)
    const text = initYaml(answers)
    const made = Object.fromEntries(secretVariables(answers).map((name) => [name, newSecret()]))
    const variables = answers.engine === 'gemini' ? [geminiVariable] : []
    await check(call, text, { file, env: { ...valuesFor(variables), ...call.io.env, ...made } })
    const secrets = await planSecretsFile({ file, path }, made)
    await write(path, text, { file, isForced: hasFlag(call, 'force') })
    await secrets.write()
    const written = { file, path, secrets, variables, program: programName(call.io) }
    if (hasFlag(call, 'json')) printJson(call, { file, secrets: secrets.file, variables })
    else call.io.out(await nextSteps(answers, written))
    return 0
  },
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

function isTaken(file: string): Failure {
  return new Failure('conflict', `${file} is there already: --force replaces it, --config names another`)
}

function newSecret(): string {
  return randomBytes(32).toString('base64')
}

function valuesFor(variables: readonly string[]): Secrets {
  return Object.fromEntries(variables.map((name) => [name, 'to be set']))
}

interface Checked {
  readonly file: string
  readonly env: Call['io']['env']
}

/** Answers that are good one by one may still not go together. */
async function check({ io }: Call, text: string, { file, env }: Checked): Promise<void> {
  const { parseConfig } = await import('../config/parse-config.ts')
  try {
    parseConfig(text, { file, env })
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause
    io.err('These answers do not go together, and nothing was written.\n')
    throw new Failure('invalid-request', cause.message, { cause })
  }
}

/** Readable by its owner alone, also in place of one that others could read. */
async function write(
  path: string,
  text: string,
  { file, isForced }: { readonly file: string; readonly isForced: boolean },
): Promise<void> {
  try {
    if (isForced) await rm(`${path}.new`, { force: true })
    await writeFile(isForced ? `${path}.new` : path, text, { mode: 0o600, flag: 'wx', flush: true })
    if (isForced) await rename(`${path}.new`, path)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    if (code === 'EEXIST' && !isForced) throw isTaken(file)
    throw new Failure('conflict', `${file} cannot be written (${code}); choose another with --config`, {
      cause,
    })
  }
}
