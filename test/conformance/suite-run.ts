import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ProgramEnd, runProgram } from './run-program.ts'

export interface SuiteRun extends ProgramEnd {
  /** For every scenario that ran, the checks that failed. */
  readonly failures: ReadonlyMap<string, readonly string[]>
}

/** The official suite against a server, by the requirement set that one revision froze. */
export async function runSuite(url: string, revision: string): Promise<SuiteRun> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-suite-'))
  try {
    const order = ['--url', url, '--requirements', revision, '--expected-failures', baselineFile(revision)]
    const suite = { of: '@modelcontextprotocol/conformance', file: 'dist/index.js' }
    const end = await runProgram(suite, ['server', ...order, '-o', folder], { seconds: 110 })
    return { ...end, failures: await readFailures(folder) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

export function baselineFile(revision: string): string {
  return join(import.meta.dirname, `baseline-${revision}.yml`)
}

interface Check {
  readonly id: string
  readonly status: string
}

async function readFailures(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const failures = new Map<string, readonly string[]>()
  for (const name of await readdir(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name) ?? []
    if (scenario === undefined) continue
    const checks: readonly Check[] = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'))
    failures.set(
      scenario,
      checks.filter(({ status }) => status === 'FAILURE').map(({ id }) => id),
    )
  }
  return failures
}
