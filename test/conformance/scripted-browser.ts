import { EventEmitter, on, once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The only browser that a program finds: it hands each page that it is told to open to the test. */
export interface ScriptedBrowser extends AsyncDisposable {
  /** What a program is to be started with; its home is a folder that goes away with the browser. */
  readonly environment: Readonly<Record<string, string>>
  /** The next page that was opened. */
  readonly opened: () => Promise<URL>
}

export async function startScriptedBrowser(): Promise<ScriptedBrowser> {
  const home = await mkdtemp(join(tmpdir(), 'postern-browser-'))
  for (const name of [browser, macBrowser]) await writeFile(join(home, name), program, { mode: 0o755 })
  const events = new EventEmitter()
  const pages = on(events, 'page')
  const server = createServer((request, response) => {
    void text(request).then((page) => {
      events.emit('page', page)
      response.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    environment: environment(home, `http://127.0.0.1:${port}/`),
    opened: async () => {
      const { value }: { readonly value?: readonly string[] | undefined } = await pages.next()
      return new URL(value?.[0] ?? '')
    },
    [Symbol.asyncDispose]: async () => {
      await pages.return?.()
      server.close()
      server.closeAllConnections()
      await rm(home, { recursive: true })
    },
  }
}

/** Both clients open pages with the package `open`: it calls `open` on macOS, else xdg-open, and that `BROWSER`. */
const browser = 'postern-test-browser'
const macBrowser = 'open'
const program = `#!/bin/sh
exec "$BROWSER_NODE" -e 'fetch(process.env.BROWSER_TEST, { method: "POST", body: process.argv.at(-1) })' "$@"
`

function environment(home: string, test: string): Readonly<Record<string, string>> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || foreign.test(name) ? [] : [[name, value] as const],
  )
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    USERPROFILE: home,
    PATH: [home, process.env.PATH].join(delimiter),
    BROWSER: browser,
    BROWSER_NODE: process.execPath,
    BROWSER_TEST: test,
    XDG_CURRENT_DESKTOP: 'X-Generic',
    NO_COLOR: '1',
  }
}

/** Settings of the clients that a person may have, and the desktop that xdg-open would prefer to `BROWSER`. */
const foreign = /^(MCP_.*|DISPLAY|WAYLAND_DISPLAY|XDG_RUNTIME_DIR|NODE_TEST_CONTEXT)$/
