/** Of a request (Fastify's, Node's or the web's), and of anything that looks like one: these four and nothing else. */
export function describeRequest(value: object): object | undefined {
  if (!('headers' in value && 'method' in value && 'url' in value)) return undefined
  const { method, url } = value
  if (typeof method !== 'string' || typeof url !== 'string') return undefined
  return {
    method: short(method, 32),
    path: pathOf(url),
    requestId: requestId(value),
    remoteAddress: remoteAddress(value),
  }
}

/** Of a reply (Fastify's, Node's or the web's): its status. */
export function describeReply(value: object): object | undefined {
  if ('statusCode' in value && ('setHeader' in value || 'getHeaders' in value))
    return { statusCode: value.statusCode }
  return value instanceof Response ? { statusCode: value.status } : undefined
}

function pathOf(url: string): string {
  const withoutQuery = url.split(/[?#]/, 1)[0] ?? ''
  return short(withoutQuery.replace(/^[a-z][a-z0-9+.-]{0,20}:\/\/[^/]*/i, '') || '/', 2048)
}

function requestId(value: object): string | number | undefined {
  const id: unknown = Reflect.get(value, 'id')
  if (typeof id === 'string') return short(id, 128)
  return typeof id === 'number' ? id : undefined
}

/** Left out rather than cut: half of a secret is no longer found by its value. */
function short(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `[${text.length} characters]`
}

function remoteAddress(value: object): unknown {
  const address: unknown = Reflect.get(value, 'ip')
  if (typeof address === 'string') return address
  const socket: unknown = Reflect.get(value, 'socket')
  return typeof socket === 'object' && socket !== null ? Reflect.get(socket, 'remoteAddress') : undefined
}
