import { access } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Answers } from './init-questions.ts'
import type { SecretsFile } from './init-secrets.ts'
import { shellWord } from './shell-word.ts'

export interface Written {
  /** The configuration, as it was named. */
  readonly file: string
  readonly path: string
  readonly secrets: SecretsFile
  /** What else must be set where Postern runs. */
  readonly variables: readonly string[]
  /** How this program is called, such as `npx postern`. */
  readonly program: string
}

/** What was written, and what to do with it, in this order. */
export async function nextSteps(answers: Answers, written: Written): Promise<string> {
  const { file, path, secrets, variables, program } = written
  const option = file === 'postern.yaml' ? '' : ` --config ${shellWord(file)}`
  const steps = [
    ...(await missingFiles(answers, path)),
    // Without a slash a shell would look for the file among its programs.
    `set -a; . ${shellWord(secrets.file.includes('/') ? secrets.file : `./${secrets.file}`)}; set +a`,
    ...variables.map((name) => `export ${name}=…`),
    `${program} config check${option}`,
    ...(answers.issuer === 'own'
      ? [`${program} authority users add NAME${option}`, `${program} authority${option}`]
      : []),
    `${program} serve${option}`,
  ]
  return [
    `${headline(written)} Next:\n`,
    ...steps.map((line) => `  ${line}`),
    '\nEvery shell that runs one of these needs the secrets, and so the line that begins with "set -a".\n',
  ].join('\n')
}

function headline({ file, secrets }: Written): string {
  const { file: env, isNew, added } = secrets
  if (isNew) return `Wrote ${file}, and its secrets to ${env}; both are readable by you alone.`
  const wrote = `Wrote ${file}, readable by you alone.`
  if (added.length === 0) return `${wrote} Its secrets are those that ${env} held before.`
  return `${wrote} To ${env}, which was there before, it added ${added.join(' and ')}.`
}

/** A gateway does not start without them. */
async function missingFiles(answers: Answers, config: string): Promise<readonly string[]> {
  const wanted = [
    { file: answers.tools === 'module' ? answers['tools-file'] : undefined, page: 'docs/write-a-tool.md' },
    { file: answers.tools === 'openapi' ? answers['tools-file'] : undefined, page: 'docs/tool-sources.md' },
    { file: answers['model-file'], page: 'docs/configuration.md, "engine: llama"' },
  ]
  const steps = wanted.map(async ({ file, page }) => {
    if (file === undefined) return []
    const isThere = await access(resolve(dirname(config), file)).then(
      () => true,
      () => false,
    )
    return isThere ? [] : [`create ${file} (${page})`]
  })
  return (await Promise.all(steps)).flat()
}
