import { Failure } from '../failure/failure.ts'
import { type Command, hasFlag } from './command.ts'
import { freePort } from './free-port.ts'
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
    const { startServing, stopOnSignal } = await import('./serve-gateway.ts')
    const { io } = call
    const port = await nextFreePort()
    const config = parseConfig(`{ store: "sqlite:${database}", server: { port: ${port} } }`, {
      file: 'dev',
      env: {},
    })
    const loaded = { config, file: undefined, directory: io.cwd }
    const serving = await startServing(loaded, io, hasFlag(call, 'verbose') ? 'debug' : 'warn')
    io.out(welcome(serving.url, port, io))
    const code = await stopOnSignal(serving, io, ['SIGTERM', 'SIGINT', 'SIGHUP'])
    io.out('\nStopped.\n')
    return code
  },
}

const host = '127.0.0.1'
const firstPort = 8080
const database = './data/dev.db'

async function nextFreePort(): Promise<number> {
  for (let port = firstPort; port < firstPort + 100; port += 1) {
    const free = await freePort(host, port)
    if (free !== undefined) return free
  }
  throw new Failure('misconfigured', `no port from ${firstPort} to ${firstPort + 99} is free on ${host}`)
}

function welcome(url: string, port: number, terminal: { readonly hasColor: boolean }): string {
  const { bold, dim } = createStyle(terminal)
  const taken = port === firstPort ? '' : dim(`  (${firstPort} is taken)`)
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
