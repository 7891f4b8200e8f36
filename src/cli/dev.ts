import type { Config } from '../config/config-schema.ts'
import { Failure } from '../failure/failure.ts'
import { type Command, hasFlag } from './command.ts'
import type { Io } from './io.ts'
import type { Serving, StopCause } from './serve-gateway.ts'
import { createStyle } from './style.ts'

export const dev: Command = {
  name: 'dev',
  summary: 'run everything on this machine, with data in ./data, and say what to try',
  options: { verbose: { type: 'boolean', description: 'Log every request, not only warnings and errors.' } },
  details: 'Takes port 8080, or the next free one. Reads no configuration file: that is for "postern serve".',
  example: 'postern dev --verbose',
  run: async (call) => {
    // Loaded when needed: the other commands need no server.
    const { parseConfig } = await import('../config/parse-config.ts')
    const { openLog, startServing, stopOn } = await import('./serve-gateway.ts')
    const { io } = call
    const configAt = (port: number): Config =>
      parseConfig(`{ store: "sqlite:${database}", server: { port: ${port} } }`, { file: 'dev', env: {} })
    const log = openLog(configAt(firstPort), io, hasFlag(call, 'verbose') ? 'debug' : 'warn')
    const serving = await onFirstFreePort((port) =>
      startServing({ config: configAt(port), file: undefined, directory: io.cwd }, log),
    )
    // Before the welcome: whoever has read it may send a signal.
    const stopped = stopOn(stopCauses(io), serving, io)
    io.out(welcome(serving.url, io))
    const code = await stopped
    io.out('\nStopped.\n')
    return code
  },
}

const firstPort = 8080
const database = './data/dev.db'

/** Listens rather than asks whether it could: another program may take the port in between. */
async function onFirstFreePort(start: (port: number) => Promise<Serving>): Promise<Serving> {
  for (let port = firstPort; port < firstPort + 100; port += 1) {
    try {
      return await start(port)
    } catch (error) {
      if (!isPortInUse(error)) throw error
    }
  }
  throw new Failure('misconfigured', `no port from ${firstPort} to ${firstPort + 99} is free on 127.0.0.1`)
}

function isPortInUse(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
}

/** A signal to npm ends its shell, not the program below it; started by hand, it may outlive its shell. */
function stopCauses({ env }: Pick<Io, 'env'>): readonly StopCause[] {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  return env.npm_lifecycle_event === undefined ? signals : [...signals, 'parent gone']
}

function welcome(url: string, terminal: { readonly hasColor: boolean }): string {
  const { bold, dim } = createStyle(terminal)
  const taken = new URL(url).port === String(firstPort) ? '' : dim(`  (${firstPort} is taken)`)
  return `
${bold('Postern is running.')}

  gateway  ${bold(url)}${taken}
  data     ${database} ${dim('(SQLite)')}

${bold('Try it')} in another terminal:

  ${dim('it lives')}
  curl ${url}/healthz

  ${dim('it can reach its data')}
  curl ${url}/readyz

  ${dim('a page of a foreign site is kept out, even if its name points to this machine')}
  curl -H 'Host: evil.example' ${url}/

  ${dim('errors say what would be right')}
  curl -X POST ${url}/healthz

This version serves the ground: probes, guards, errors, graceful shutdown; and lists in pages as a library
("postern/paging", "postern/client"). The tool server runs under "postern serve" with an issuer in its
configuration (docs/tools.md); here it is off, as dev has nobody yet who issues tokens. The model API, lists over
HTTP, the console and the authority come later.

Stop with Ctrl-C. Warnings and errors appear below as JSON lines${dim(' (--verbose shows every request)')}.

`
}
