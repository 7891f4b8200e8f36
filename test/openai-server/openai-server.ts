import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface SeenRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

export interface ServerState {
  /** Connections that are open now, and that ever were. */
  readonly sockets: number
  readonly accepted: number
  /** Answers under way. */
  readonly answering: number
  readonly requests: readonly SeenRequest[]
}

/** A server that speaks the OpenAI wire, in a process of its own. */
export interface OpenaiServer extends AsyncDisposable {
  readonly origin: string
  readonly last: () => Promise<SeenRequest>
  /** Is over when the server has answered a question. */
  readonly turn: () => Promise<void>
  /** Waits until the server's state is as asked for. */
  readonly reaches: (isReached: (state: ServerState) => boolean) => Promise<ServerState>
}

interface Told {
  readonly state?: ServerState
  readonly port?: number
  readonly isAsked?: boolean
}

export async function startOpenaiServer(): Promise<OpenaiServer> {
  const program = fileURLToPath(new URL('./program.ts', import.meta.url))
  const child = fork(program, [], { execArgv: [], env: { ...process.env, NODE_TEST_CONTEXT: undefined } })
  const ended = once(child, 'exit')
  const changes = new EventEmitter()
  let state: ServerState = { sockets: 0, accepted: 0, answering: 0, requests: [] }
  child.on('message', (message: Told) => {
    if (message.state !== undefined) state = message.state
    if (message.isAsked === true) changes.emit('asked')
    changes.emit(message.port === undefined ? 'state' : 'port', message.port)
  })
  const [port] = await once(changes, 'port')

  async function reaches(isReached: (state: ServerState) => boolean): Promise<ServerState> {
    while (!isReached(state)) await once(changes, 'state')
    return state
  }

  async function turn(): Promise<void> {
    const told = once(changes, 'asked')
    child.send('tell')
    await told
  }

  return {
    origin: `http://127.0.0.1:${String(port)}`,
    reaches,
    turn,
    last: async () => {
      await turn()
      const { requests } = await reaches(({ answering }) => answering === 0)
      const request = requests.at(-1)
      if (request === undefined) throw new Error('no request has come')
      return request
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
