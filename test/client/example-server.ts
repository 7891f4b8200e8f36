import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { hear } from '../conformance/heard-text.ts'
import { freePort } from '../free-port.ts'

export interface ExampleServer extends AsyncDisposable {
  readonly url: string
  readonly issuer: string
}

/** The example of the official SDK, with its own demonstration of an authorization server: nothing here is ours. */
export async function startExampleServer(): Promise<ExampleServer> {
  const [port, issuerPort] = [await freePort(), await freePort()]
  const file = fileURLToPath(
    import.meta
      .resolve('@modelcontextprotocol/sdk/server/mcp.js')
      .replace(/server\/mcp\.js$/, 'examples/server/simpleStreamableHttp.js'),
  )
  const child = spawn(process.execPath, [file, '--oauth', '--oauth-strict'], {
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      MCP_PORT: String(port),
      MCP_AUTH_PORT: String(issuerPort),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = hear(child.stdout)
  await said.until('OAuth Authorization Server listening')
  await said.until('Streamable HTTP Server listening')
  return {
    url: `http://localhost:${port}/mcp`,
    issuer: `http://localhost:${issuerPort}`,
    [Symbol.asyncDispose]: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}
