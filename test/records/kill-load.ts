import { Agent, fetch } from 'undici'

/** Calls over several connections until the server is gone; what was answered is noted by request id. */
export interface KillLoad {
  /** Requests whose answer arrived whole. */
  readonly answered: Set<string>
  /** Keys whose making was acknowledged, by id. */
  readonly keys: Set<string>
  /** Sessions whose end was acknowledged, by id. */
  readonly ended: Set<string>
}

export interface KillTarget {
  readonly url: string
  /** An access token for a surface, of this person. */
  readonly token: (surface: 'mcp' | 'api', subject: string) => string
  /** Tells the rounds apart. */
  readonly round: number
  /** Whether a session is there as soon as the call is answered. */
  readonly isStrict: boolean
  /** After so many answers it is time to kill. */
  readonly answers: number
}

const connections = 6

export interface RunningLoad {
  /** Resolves after as many answers as were asked for. */
  readonly underWay: Promise<void>
  /** Resolves when every connection has lost its server. */
  readonly ended: Promise<void>
}

export function startLoad(target: KillTarget, load: KillLoad): RunningLoad {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let left = target.answers
  const onAnswer = (): void => {
    left -= 1
    if (left === 0) resolve()
  }
  const ended = runUntilKilled({ ...target, onAnswer }, load)
  ended.catch(reject)
  return { underWay: promise, ended }
}

async function runUntilKilled(target: WatchedTarget, load: KillLoad): Promise<void> {
  const agent = new Agent({ connections: connections + 2, pipelining: 1 })
  const caller = createCaller(target, load, agent)
  const workers = [
    ...Array.from({ length: connections }, (_, index) => repeat(() => callTool(caller, `caller-${index}`))),
    repeat((turn) => makeKey(caller, load, turn)),
    repeat((turn) => endSession(caller, load, turn)),
  ]
  await Promise.all(workers)
  await agent.destroy()
}

interface WatchedTarget extends KillTarget {
  readonly onAnswer: () => void
}

interface Caller {
  readonly target: WatchedTarget
  readonly call: (path: string, order: Order) => Promise<Answer>
}

interface Order {
  readonly method: string
  readonly token: string
  readonly body?: unknown
}

interface Answer {
  readonly status: number
  readonly body: string
}

function createCaller(target: WatchedTarget, load: KillLoad, dispatcher: Agent): Caller {
  let count = 0
  return {
    target,
    call: async (path, { method, token, body }) => {
      count += 1
      const id = `r${target.round}.${count}`
      const response = await fetch(`${target.url}${path}`, {
        dispatcher,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          'x-request-id': id,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      load.answered.add(id)
      target.onAnswer()
      return { status: response.status, body: text }
    },
  }
}

/** Until the connection breaks; any other error is one of the test. */
async function repeat(work: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      await work(turn)
    } catch (error) {
      if (isLostConnection(error)) return
      throw error
    }
  }
}

function isLostConnection(error: unknown): boolean {
  return (
    error instanceof TypeError &&
    error.cause instanceof Error &&
    Reflect.get(error.cause, 'code') !== undefined
  )
}

async function callTool({ target, call }: Caller, subject: string): Promise<void> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: echo }
  const { status, body: text } = await call('/mcp', {
    method: 'POST',
    token: target.token('mcp', subject),
    body,
  })
  if (status !== 200) throw new Error(`a call was answered with ${status}: ${text}`)
}

const echo = { name: 'echo', arguments: { text: 'again' } } as const

async function makeKey({ target, call }: Caller, load: KillLoad, turn: number): Promise<void> {
  const { status, body } = await call('/api/v1/keys', {
    method: 'POST',
    token: target.token('api', 'admin'),
    body: { name: `key ${target.round} ${turn}` },
  })
  if (status !== 201) throw new Error(`a key was answered with ${status}: ${body}`)
  const { id }: { id: string } = JSON.parse(body)
  load.keys.add(id)
}

/** Uses a token of its own, finds its session and ends it. */
async function endSession(caller: Caller, load: KillLoad, turn: number): Promise<void> {
  const { target, call } = caller
  const subject = `victim-${target.round}-${turn}`
  await callTool(caller, subject)
  const token = target.token('api', 'admin')
  const list = await call('/api/v1/sessions?limit=100', { method: 'GET', token })
  const { items }: { items: readonly { id: string; principal: string }[] } = JSON.parse(list.body)
  const session = items.find(({ principal }) => principal === subject)
  if (session === undefined && !target.isStrict) return
  if (session === undefined) throw new Error(`no session of ${subject}: ${list.body.slice(0, 500)}`)
  const { status, body } = await call(`/api/v1/sessions/${session.id}`, { method: 'DELETE', token })
  if (status !== 204) throw new Error(`the end of a session was answered with ${status}: ${body}`)
  load.ended.add(session.id)
}
