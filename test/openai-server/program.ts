import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { answerChat } from './chat.ts'
import { sendError } from './errors.ts'
import { applyTemplate, embed, listModels, tokenize } from './routes.ts'

/** The routes of three servers: `/openai/v1`, `/vllm/v1` and `/llama/v1`, each with its own ways. */
const routes = new Map([
  ['/v1/chat/completions', answerChat],
  ['/v1/embeddings', embed],
  ['/v1/models', listModels],
  ['/tokenize', tokenize],
  ['/apply-template', applyTemplate],
])

const seen: readonly unknown[] = []
const state = { sockets: 0, accepted: 0, answering: 0, requests: seen }
const report = (): unknown => process.send?.({ state })

const server = createServer((request, response) => {
  state.answering += 1
  response.once('close', () => {
    state.answering -= 1
    report()
  })
  response.on('error', () => undefined)
  void serve(request, response)
})
server.on('connection', (socket) => {
  state.sockets += 1
  state.accepted += 1
  socket.once('close', () => {
    state.sockets -= 1
    report()
  })
  report()
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: Object(server.address()).port }))
// Whoever asks has an answer in hand: what it was about has been noted by now.
process.on('message', () => process.send?.({ state, isAsked: true }))
process.once('disconnect', () => process.exit(0))

async function serve(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const [, kind = '', path = ''] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? []
  const text = await textOf(request)
  const body = text === '' ? {} : JSON.parse(text)
  state.requests = [...state.requests.slice(-9), { path: request.url, headers: request.headers, body }]
  report()
  const route = routes.get(path)
  if (route === undefined) return sendError(response, { status: 404, message: 'Not Found', kind })
  if (kind === 'openai' && request.headers.authorization !== 'Bearer sk-test-0123456789')
    return sendError(response, {
      status: 401,
      message: `Incorrect API key provided: ${String(request.headers.authorization)}.`,
      kind,
    })
  return route({ kind, body, response })
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}
