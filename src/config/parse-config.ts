import { Check } from 'typebox/schema'
import { Failure } from '../failure/failure.ts'
import { type Config, configSchema } from './config-schema.ts'
import { crossChecks } from './cross-checks.ts'
import type { Environment } from './environment.ts'
import { pick } from './partial-config.ts'
import { inFileOrder, type Problem } from './problem.ts'
import { derivedUrl, type Listener, listeners } from './public-url.ts'
import { readValue } from './read-value.ts'
import { type Reading, refuse } from './reading.ts'
import { schemaKeys } from './schema-keys.ts'
import { readYaml, type YamlDocument } from './yaml-document.ts'

export interface ConfigSource {
  /** For messages only; nothing is read from it here. */
  readonly file: string
  readonly env: Environment
}

/** The text of `postern.yaml`, checked and complete; otherwise a failure that lists every problem, one line each. */
export function parseConfig(text: string, source: ConfigSource): Config {
  const document = readYaml(text)
  const reading: Reading = {
    keys: schemaKeys(configSchema),
    env: source.env,
    anchored: document.anchored,
    problems: [...document.problems],
    offsets: new Map(),
    values: 0,
  }
  const isBroken = document.root === undefined && document.problems.length > 0
  const config = isBroken ? undefined : readWhole(document, reading)
  throwProblems(reading.problems, document, source.file)
  if (Check(configSchema, config)) return config
  throw new Failure('internal', `${source.file} was accepted, but what was read is not a configuration`)
}

function readWhole(document: YamlDocument, reading: Reading): unknown {
  const config = readValue(document.root, configSchema, { reading, path: '', offset: 0 })
  for (const { path, complaint } of crossChecks(config)) {
    refuse({ reading, path, offset: offsetNear(path, reading) }, complaint)
  }
  return listeners.reduce((read, listener) => withDerivedUrl(read, listener, reading), config)
}

function withDerivedUrl(config: unknown, listener: Listener, reading: Reading): unknown {
  const { section, key } = listener
  const written = pick(config, section)
  const [host, port] = [pick(written, 'host'), pick(written, 'port')]
  if (pick(written, key) !== undefined || typeof host !== 'string') return config
  const derived = derivedUrl(listener, { host, port: typeof port === 'number' ? port : undefined })
  if ('complaint' in derived) {
    const offset = offsetNear(derived.because, reading)
    refuse({ reading, path: `${section}.${key}`, offset }, derived.complaint)
    return config
  }
  return Object.assign({}, config, { [section]: Object.assign({}, written, { [key]: derived.url }) })
}

/** Where a key stands, or else the closest thing around it that is in the file. */
function offsetNear(path: string, { offsets }: Pick<Reading, 'offsets'>): number {
  const parent = path.replace(/(?:^|\.)[^.[\]]+$|\[[^\]]*\]$/, '')
  return offsets.get(path) ?? (parent === path ? 0 : offsetNear(parent, { offsets }))
}

function throwProblems(problems: readonly Problem[], document: YamlDocument, file: string): void {
  const sorted = inFileOrder(problems)
  const [first] = sorted
  if (first === undefined) return
  const lines = sorted.map(({ offset, message }) => {
    const { line, column } = document.position(offset)
    return `${file}:${line}:${column}: ${message}`
  })
  throw new Failure('misconfigured', lines.join('\n'), first.path === '' ? {} : { field: first.path })
}
