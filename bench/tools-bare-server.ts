import { createServer } from 'node:http'
import { reportUsage } from './tools-usage.ts'
import type { ServerSettings } from './tools-wire.ts'

interface Message {
  readonly id: number
  readonly params: { readonly arguments: { readonly text: string }; readonly _meta?: unknown }
}

/** The floor: reads JSON, answers JSON of the same size as the tool servers do, and checks nothing. */
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const message: Message = JSON.parse(Buffer.concat(chunks).toString())
    const content = [{ type: 'text', text: message.params.arguments.text }]
    const result = message.params._meta === undefined ? { content } : { content, ...modernMembers }
    const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result })
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(answer),
    })
    response.end(answer)
  })
})

const modernMembers = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'postern', version: '0.1.0' } },
} as const
const settings: ServerSettings = JSON.parse(String(process.argv[2]))
server.listen(settings.port, '127.0.0.1', () => reportUsage())
