/** Sends one message to a tool server; only the head of the answer is looked at here. */
export type Send<Answer> = (init: RequestInit) => Promise<Answer>

/** Calls a tool server without a token. Some servers greet everybody, and want a token for the rest. */
export async function knock<Answer extends { readonly response: Response }>(
  name: string,
  send: Send<Answer>,
): Promise<Answer> {
  const greeting = await send(message(greet(name)))
  if (!greeting.response.ok) return greeting
  const session = greeting.response.headers.get('mcp-session-id')
  const headers = {
    'mcp-protocol-version': revision,
    ...(session === null ? {} : { 'mcp-session-id': session }),
  }
  const answer = await send(message({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers))
  // A server that let us in keeps a session for us otherwise.
  if (session !== null)
    await send({ method: 'DELETE', headers, signal: AbortSignal.timeout(farewellMs) }).catch(() => undefined)
  return answer.response.status === 401 ? answer : greeting
}

const farewellMs = 1000
const revision = '2025-11-25'

/** Both eras know it, or refuse it for want of a token. */
function greet(name: string): object {
  const clientInfo = { name, version: '1' }
  const params = { protocolVersion: revision, capabilities: {}, clientInfo }
  return { jsonrpc: '2.0', id: 1, method: 'initialize', params }
}

function message(body: object, headers: Readonly<Record<string, string>> = {}): RequestInit {
  const accept = 'application/json, text/event-stream'
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headers },
    body: JSON.stringify(body),
  }
}
