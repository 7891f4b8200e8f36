import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { TestContext } from 'node:test'
import type { Decision, DecisionHook } from '../../src/auth/decision.ts'
import { parseConfig } from '../../src/config/parse-config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { openModelSurface } from '../../src/gateway/model-surface.ts'
import { listen } from '../../src/http/listen.ts'
import { createApiKeys } from '../../src/store/api-keys.ts'
import { microsecondClock } from '../../src/store/clock.ts'
import { openStore } from '../../src/store/open-store.ts'
import { recordingLog } from '../serving/plain-server.ts'
import { portOf } from '../serving/raw-connection.ts'
import { upstreamKey } from './wire-calls.ts'

export interface ModelGateway {
  readonly port: number
  readonly key: string
  readonly decisions: readonly Decision[]
  /** The decision on a request, as soon as there is one. */
  readonly decision: (at?: number) => Promise<Decision>
  readonly lines: readonly Readonly<Record<string, unknown>>[]
}

/** The whole gateway with these models, an API key, and every decision written down; answers wait for `recorded`. */
export async function startModelGateway(
  t: TestContext,
  settings: { readonly models: readonly object[]; readonly aliases?: Readonly<Record<string, string>> },
  recorded?: () => Promise<void> | undefined,
): Promise<ModelGateway> {
  const { log, lines } = recordingLog()
  const store = await openStore('sqlite::memory:', { log })
  const { key } = await createApiKeys(store, microsecondClock()).create({ name: 'test' })
  const server = { host: '127.0.0.1', port: 0, publicUrl: 'https://gate.example' }
  const config = parseConfig(JSON.stringify({ server, ...settings }), { file: 'test', env: {} })
  const decisions: Decision[] = []
  let told = Promise.withResolvers<void>()
  const onDecision: DecisionHook = (decision) => {
    decisions.push(decision)
    told.resolve()
    told = Promise.withResolvers<void>()
    return recorded?.()
  }
  const modelSurface = openModelSurface({ config, store, log, directory: '.' })
  const gateway = createGateway({ config, store, log, modelSurface, onDecision })
  await listen(gateway, config.server)
  t.after(async () => {
    gateway.server.closeAllConnections()
    await gateway.stop()
  })
  return {
    port: portOf(gateway.server),
    key,
    decisions,
    lines,
    decision: async (at = 0) => {
      for (;;) {
        const decision = decisions[at]
        if (decision !== undefined) return decision
        await told.promise
      }
    },
  }
}

/** A model of the configuration behind the server at `origin`. */
export function wireModel(origin: string, more: object = {}): object {
  return { name: 'front', engine: 'gemini', model: 'up', baseUrl: origin, apiKey: upstreamKey, ...more }
}

export interface CallOptions {
  readonly path?: string
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export const streamPath = '/v1beta/models/front:streamGenerateContent?alt=sse'

/** The answer as soon as its head is there. */
export async function openCall(
  { port, key }: ModelGateway,
  options: CallOptions = {},
): Promise<IncomingMessage> {
  const { path = '/v1beta/models/front:generateContent', body = '{"contents":[]}', headers, signal } = options
  const sent = request({
    port,
    host: '127.0.0.1',
    path,
    method: 'POST',
    agent: false,
    ...(signal !== undefined && { signal }),
    headers: {
      host: 'gate.example',
      'content-type': 'application/json',
      'x-goog-api-key': key,
      ...headers,
    },
  })
  sent.end(body)
  const [answer]: IncomingMessage[] = await once(sent, 'response')
  if (answer === undefined) throw new Error('no answer came')
  return answer
}

export interface WholeAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** False for an answer that was cut. */
  readonly isComplete: boolean
}

export async function callModel(gateway: ModelGateway, options: CallOptions = {}): Promise<WholeAnswer> {
  return wholeOf(await openCall(gateway, options))
}

export async function wholeOf(answer: IncomingMessage): Promise<WholeAnswer> {
  let text = ''
  try {
    for await (const chunk of answer.setEncoding('utf8')) text += String(chunk)
  } catch {
    // A cut shows in `complete`.
  }
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    text,
    isComplete: answer.complete,
  }
}
