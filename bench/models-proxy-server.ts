import { createServer, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import type { ServerSettings } from './models-wire.ts'
import { reportUsage } from './tools-usage.ts'

/** The least a proxy in Node can do: bytes in, bytes out, nothing checked, nothing read. */
const settings: ServerSettings = JSON.parse(String(process.argv[2]))
const pool = new Pool(settings.upstream)
const headers = ['content-type', 'application/json', 'x-goog-api-key', 'upstream-key']

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const [only = Buffer.alloc(0)] = chunks
    pool.dispatch(
      {
        path: request.url ?? '/',
        method: 'POST',
        headers,
        body: chunks.length === 1 ? only : Buffer.concat(chunks),
      },
      handler(response),
    )
  })
})
server.listen(settings.port, '127.0.0.1', () => reportUsage())

function handler(response: ServerResponse): Dispatcher.DispatchHandler {
  let resume = (): void => undefined
  response.on('drain', () => resume())
  return {
    onRequestStart: () => undefined,
    onResponseStart: (controller, status, { 'content-type': type = '', 'content-length': length }) => {
      resume = () => controller.resume()
      const sent = ['content-type', String(type)]
      if (length !== undefined) sent.push('content-length', String(length))
      response.writeHead(status, sent)
    },
    onResponseData: (controller, chunk) => {
      if (!response.write(chunk)) controller.pause()
    },
    onResponseEnd: () => void response.end(),
    onResponseError: () => void response.destroy(),
  }
}
