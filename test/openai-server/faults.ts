import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { errorBody, sendError } from './errors.ts'
import type { Exchange } from './exchange.ts'

type Fault = (exchange: Exchange) => unknown

/** A model whose name is that of a fault has it. */
export function faults(model: string): Fault | undefined {
  if (/^[345]\d\d$/.test(model)) return refuse(Number(model))
  const [, times, fault] = flaky.exec(model) ?? []
  if (fault !== undefined) return isLeft(model, Number(times)) ? faults(fault) : undefined
  if (model.startsWith('replay:')) return replay(model.slice('replay:'.length))
  return named.get(model)
}

/** Has a fault so often and is well then, such as `2x503`. */
export const flaky: RegExp = /^(\d)x(.+)$/

const failed = new Map<string, number>()

function isLeft(model: string, times: number): boolean {
  const before = failed.get(model) ?? 0
  failed.set(model, before + 1)
  return before < times
}

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-x', object: 'chat.completion.chunk', created: 1, model: 'x', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

const finished = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`

const named = new Map<string, Fault>([
  ['hang', () => undefined],
  ['silent', ({ response }) => begin(response).write(chunk('Once'))],
  ['reset-early', ({ response }) => response.socket?.resetAndDestroy()],
  ['reset', ({ response }) => begin(response).write(chunk('Once'), () => response.socket?.resetAndDestroy())],
  ['cut', ({ response }) => begin(response).write(chunk('Once'), () => response.socket?.end())],
  ['incomplete', ({ response }) => begin(response).end(chunk('Once'))],
  ['garbage', ({ response }) => begin(response).end(`${chunk('Once')}data: <<<not json>>>\n\n`)],
  ['half', ({ response }) => begin(response).end(chunk('Once') + chunk('upon').slice(0, 60))],
  ['huge', ({ response }) => flood(begin(response))],
  [
    'html',
    ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>'),
  ],
  [
    'not-json',
    ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":'),
  ],
  ['lingering', ({ response }) => begin(response).write(`${chunk('Once')}${finished}data: [DONE]\n\n`)],
  ['endless', ({ response }) => tick(begin(response))],
  ['late-error', ({ kind, response }) => begin(response).end(chunk('Once') + lateError(kind))],
])

function refuse(status: number): Fault {
  return ({ kind, response }) =>
    sendError(response, { kind, status, message: `it is a ${status} sk-test-0123456789` })
}

function begin(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function tick(response: ServerResponse): void {
  const timer = setInterval(() => response.write(chunk(' more')), 2)
  response.once('close', () => clearInterval(timer))
}

function flood(response: ServerResponse): void {
  response.write('data: "')
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

function lateError(kind: string): string {
  return `data: ${JSON.stringify(errorBody({ kind, status: 400, message: 'the context is full' }))}\n\n`
}

/** A recorded stream, each byte in a packet of its own as far as the system lets us. */
function replay(name: string): Fault {
  const bytes = readFileSync(new URL(`./wire/${name}.sse`, import.meta.url))
  return async ({ response }) => {
    response.socket?.setNoDelay(true)
    begin(response)
    for (const byte of bytes) {
      response.write(Uint8Array.of(byte))
      await new Promise(setImmediate)
    }
    response.end()
  }
}
