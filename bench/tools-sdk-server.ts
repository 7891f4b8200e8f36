import { createMcpExpressApp, requireBearerAuth } from '@modelcontextprotocol/express'
import {
  type AuthInfo,
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  requireScopes,
} from '@modelcontextprotocol/server'
import type { Request as ExpressRequest, Response as ExpressResponse } from 'express'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { reportUsage } from './tools-usage.ts'
import { type ServerSettings, scope, toolName } from './tools-wire.ts'

/** The official server as its documentation sets it up: express, `requireBearerAuth`, jose, one server per request. */
const settings: ServerSettings = JSON.parse(String(process.argv[2]))
const keys = createRemoteJWKSet(new URL(`${settings.issuer}/jwks`))
const input = fromJsonSchema<{ text: string }>({
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
})
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'sdk', version: '1.0.0' })
  server.registerTool(
    toolName,
    { description: 'Says it again.', inputSchema: input, scopeChallenge: requireScopes(scope) },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  )
  return server
})
const app = createMcpExpressApp()
app.post('/mcp', requireBearerAuth({ verifier: { verifyAccessToken } }), serve)
app.listen(settings.port, '127.0.0.1', () => reportUsage())

async function verifyAccessToken(token: string): Promise<AuthInfo> {
  const { payload } = await jwtVerify(token, keys, {
    issuer: settings.issuer,
    audience: settings.resource,
    algorithms: ['ES256'],
    typ: 'at+jwt',
  })
  return {
    token,
    clientId: String(payload.client_id),
    scopes: String(payload.scope).split(' '),
    expiresAt: payload.exp ?? 0,
    resource: new URL(settings.resource),
  }
}

/** What `toNodeHandler` of the SDK does, for a body that express has read. */
async function serve(
  request: ExpressRequest & { auth?: AuthInfo },
  response: ExpressResponse,
): Promise<void> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (typeof value === 'string') headers.set(name, value)
  const asked = new Request(`http://127.0.0.1:${settings.port}${request.url}`, { method: 'POST', headers })
  const answer = await handler.fetch(asked, {
    parsedBody: request.body,
    ...(request.auth === undefined ? {} : { authInfo: request.auth }),
  })
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(await answer.text())
}
