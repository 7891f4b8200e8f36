import type { Tool, ToolServer } from '../client/tools/tool.ts'
import type { Call } from './command.ts'
import { everyItem } from './every-item.ts'
import { serverUrl, surfaceUrl } from './server-url.ts'
import { signedIn } from './signed-in.ts'
import { packageVersion } from './version.ts'

export interface Connection extends AsyncDisposable {
  readonly tools: ToolServer
}

/** The tool server that a command is about, as whoever signed in to it. */
export async function connected(call: Call): Promise<Connection> {
  const { connectTools } = await import('../client/tools/connect-tools.ts')
  const server = await serverUrl(call)
  const oauth = await signedIn(call, 'mcp', { server })
  const client = { name: 'postern', version: await packageVersion() }
  const tools = await connectTools(surfaceUrl(server, 'mcp'), { oauth, client })
  return { tools, [Symbol.asyncDispose]: () => tools.close() }
}

/** All of them, page after page; a server that never ends is not listened to for ever. */
export async function listedTools(server: ToolServer): Promise<readonly Tool[]> {
  return everyItem(server.list({ prefetch: true, maxPages: 1000 }))
}
