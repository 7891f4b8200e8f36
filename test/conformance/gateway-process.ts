import { fileURLToPath } from 'node:url'
import type { AuthorizationServer } from '../authorization-server/authorization-server.ts'
import { introspectionClient } from '../authorization-server/settings.ts'
import { freePort } from '../free-port.ts'
import { freshFolder, spawnPostern } from '../serving/spawn-postern.ts'

/** Where a gateway is going to listen; known before it runs, since its issuer has to know it too. */
export interface GatewayAddress {
  readonly port: number
  readonly origin: string
  /** The URL of the tool server and its resource identifier. */
  readonly resource: string
}

export async function freeAddress(): Promise<GatewayAddress> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  return { port, origin, resource: `${origin}/mcp` }
}

export interface GatewayOrder {
  readonly issuer: AuthorizationServer
  readonly validate: 'jwt' | 'introspection'
  /** A file of this folder that exports `tools`. */
  readonly tools: string
}

/** `postern serve` in a process of its own, until it is stopped. */
export async function startGateway(
  { port, origin }: GatewayAddress,
  order: GatewayOrder,
): Promise<{ readonly stop: () => Promise<void> }> {
  const folder = await freshFolder()
  await folder.write('postern.yaml', configuration({ port, origin }, order))
  const postern = spawnPostern(['serve'], { cwd: folder.path })
  const stop = async (): Promise<void> => {
    await postern[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  }
  try {
    await postern.logs('ready')
  } catch (error) {
    await stop()
    throw error
  }
  return { stop }
}

function configuration(
  { port, origin }: Pick<GatewayAddress, 'port' | 'origin'>,
  { issuer, validate, tools }: GatewayOrder,
): string {
  const { id: clientId, secret: clientSecret } = introspectionClient
  const introspection = { url: issuer.introspectionUrl, clientId, clientSecret }
  const path = fileURLToPath(new URL(tools, import.meta.url))
  // JSON is YAML.
  return JSON.stringify({
    server: { host: '127.0.0.1', port, opsPort: 0, publicUrl: origin },
    store: 'sqlite::memory:',
    issuers: [
      { issuer: issuer.issuer, validate, ...(validate === 'introspection' ? { introspection } : {}) },
    ],
    tools: { sources: [{ kind: 'module', path }] },
  })
}
