import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import type { AuthorizationServerReady, AuthorizationServerSettings } from './settings.ts'
import { machineClient } from './settings.ts'

export interface AuthorizationServer extends AsyncDisposable, AuthorizationServerReady {
  readonly introspectionUrl: string
  /** An access token by client credentials. */
  readonly machineToken: (resource: string, scopes: readonly string[]) => Promise<string>
  readonly stop: () => Promise<void>
}

/** `oidc-provider` in a process of its own: what the gateway sees is what any other issuer would show it. */
export async function startAuthorizationServer(
  options: Omit<AuthorizationServerSettings, 'port'>,
): Promise<AuthorizationServer> {
  const port = await freePort()
  const child = fork(join(import.meta.dirname, 'program.ts'), [JSON.stringify({ ...options, port })], {
    execArgv: [],
    silent: true,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  child.stdout?.resume()
  const closed = once(child, 'close')
  const failed = closed.then(() => {
    throw new Error(`the authorization server ended before it was ready\n${complaint}`)
  })
  const [ready]: AuthorizationServerReady[] = await Promise.race([once(child, 'message'), failed])
  failed.catch(() => undefined)
  if (ready === undefined) throw new Error('the authorization server did not say where it is')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  const { issuer } = ready
  return {
    ...ready,
    introspectionUrl: `${issuer}/token/introspection`,
    machineToken: (resource, scopes) => machineToken(issuer, resource, scopes),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function machineToken(issuer: string, resource: string, scopes: readonly string[]): Promise<string> {
  const basic = Buffer.from(`${machineClient.id}:${machineClient.secret}`).toString('base64')
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope: scopes.join(' ') }),
  })
  const answer: { readonly access_token?: string } = JSON.parse(await response.text())
  if (answer.access_token === undefined) throw new Error(`no token: ${JSON.stringify(answer)}`)
  return answer.access_token
}
