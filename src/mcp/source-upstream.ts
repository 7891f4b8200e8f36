import { type Client, ProtocolError, SdkHttpError } from '@modelcontextprotocol/client'
import type { Agent } from 'undici'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { guardedAgent, outboundComplaint } from '../outbound/guarded-agent.ts'
import { type CredentialOptions, credentialHeader } from './source-credential.ts'
import { prefixedTools } from './source-names.ts'
import { settledWithin, startUpkeep, type Upkeep } from './source-upkeep.ts'
import { connectUpstream, type UpstreamConnection } from './source-upstream-connection.ts'
import { failureText, unreachableText } from './source-upstream-failure.ts'
import { upstreamFetch } from './source-upstream-fetch.ts'
import { ConnectionInUse } from './source-upstream-in-use.ts'
import { readToolList, type UpstreamList } from './source-upstream-list.ts'
import { sendingFor } from './source-upstream-sending.ts'
import { type UpstreamCalls, upstreamTool } from './source-upstream-tool.ts'
import type { Tool, ToolResult } from './tool.ts'
import { errorResult } from './tool-result.ts'
import type { ToolSource } from './tool-source.ts'

export interface UpstreamOptions extends CredentialOptions {
  readonly name: string
  readonly url: string
  readonly allowPrivate: boolean
  readonly refreshMinutes: number
}

export interface UpstreamSurroundings {
  readonly log: Log
  readonly outputLimitBytes: number
  /** How long a start waits for the first list; after that the tools come when they come. */
  readonly firstWaitMs?: number
  /** The first pause before another attempt to connect; each further one is twice as long, up to a minute. */
  readonly retryMs?: number
}

/** The tools of another MCP server. While it is away its tools stay listed, and say so when they are called. */
export async function upstreamSource(
  options: UpstreamOptions,
  surroundings: UpstreamSurroundings,
): Promise<ToolSource> {
  const upstream = new Upstream(options, surroundings)
  await settledWithin(upstream.upkeep.now(), surroundings.firstWaitMs ?? 3000)
  return {
    name: options.name,
    isRemote: true,
    tools: () => upstream.tools(),
    onChange: (listener) => upstream.onChange(listener),
    close: () => upstream.close(),
  }
}

class Upstream implements UpstreamCalls {
  readonly name: string
  readonly upkeep: Upkeep
  readonly #log: Log
  readonly #agent: Agent
  readonly #closing = new AbortController()
  readonly #connect: () => Promise<UpstreamConnection>
  readonly #listeners: (() => void)[] = []
  readonly #retired = new Set<ConnectionInUse>()
  #connection: ConnectionInUse | undefined
  #listed = ''
  #tools: readonly Tool[] = []
  #isUp: boolean | undefined

  constructor(options: UpstreamOptions, { log, outputLimitBytes, retryMs = 1000 }: UpstreamSurroundings) {
    const url = checkedUrl(options)
    this.name = options.name
    this.#log = log
    this.#agent = guardedAgent(options)
    const pauses = { retryMs, maxRetryMs: 60_000 }
    const successMs = options.refreshMinutes * 60_000
    this.upkeep = startUpkeep(() => this.#refresh(), { ...pauses, successMs })
    const fetch = upstreamFetch({
      url,
      headers: credentialHeader(options),
      agent: this.#agent,
      limitBytes: Math.max(outputLimitBytes, listLimitBytes),
    })
    const { soon } = this.upkeep
    this.#connect = () =>
      connectUpstream({ url, fetch, pauses, signal: this.#closing.signal, onChanged: soon, onLost: soon })
  }

  tools(): readonly Tool[] {
    return this.#tools
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  async close(): Promise<void> {
    this.upkeep.stop()
    this.#closing.abort()
    this.#retire()
    await Promise.all([...this.#retired].map((retired) => retired.close()))
    await this.#agent.destroy()
  }

  async withClient(call: (client: Client) => Promise<ToolResult>, signal: AbortSignal): Promise<ToolResult> {
    const current = this.#connection ?? (await this.#renewed())
    if (current === undefined) return unreachable(this.name)
    try {
      return await sendingFor(signal, () => current.use(call))
    } catch (cause) {
      if (signal.aborted) throw cause
      if (!isSessionLost(current.connection, cause)) return this.#failed(cause)
      // The call did not reach a tool, so it is safe to make it once more, in a new session.
      if (this.#connection === current) this.#retire()
      const renewed = this.#connection ?? (await this.#renewed())
      if (renewed === undefined) return unreachable(this.name)
      return sendingFor(signal, () => renewed.use(call)).catch((again: unknown) => {
        if (signal.aborted) throw again
        return this.#failed(again)
      })
    }
  }

  /** Waits a moment for a connection, unless the upstream is known to be away. */
  async #renewed(): Promise<ConnectionInUse | undefined> {
    // The run that is under way may have been about the connection before.
    for (let runs = 0; runs < 2 && this.#connection === undefined; runs += 1) {
      if (this.#isUp !== true || this.#closing.signal.aborted) return undefined
      await settledWithin(this.upkeep.now(), renewalMs)
    }
    return this.#connection
  }

  #failed(cause: unknown): ToolResult {
    if (!(cause instanceof ProtocolError)) {
      this.#log.warn({ err: cause, source: this.name }, 'a call to an upstream failed')
      this.upkeep.soon()
    }
    return errorResult(failureText(this.name, cause))
  }

  async #refresh(): Promise<boolean> {
    try {
      await this.#read()
      this.#report(true, undefined)
      return true
    } catch (cause) {
      this.#report(false, cause)
      this.#retire()
      return false
    }
  }

  /** A session that is lost is no outage. */
  async #read(): Promise<void> {
    const { connection } = this.#connection ?? (await this.#connected())
    try {
      await this.#readFrom(connection)
    } catch (cause) {
      if (!isSessionLost(connection, cause)) throw cause
      this.#retire()
      await this.#readFrom((await this.#connected()).connection)
    }
  }

  async #connected(): Promise<ConnectionInUse> {
    this.#connection = new ConnectionInUse(await this.#connect())
    return this.#connection
  }

  async #readFrom({ listen, client }: UpstreamConnection): Promise<void> {
    await listen()
    this.#adopt(await readToolList(client, this.#closing.signal))
  }

  #report(isUp: boolean, cause: unknown): void {
    if (isUp === this.#isUp || this.#closing.signal.aborted) return
    this.#isUp = isUp
    const source = this.name
    if (isUp) this.#log.info({ source, tools: this.#tools.length }, 'an upstream is connected')
    else this.#log.warn({ err: cause, source }, 'an upstream cannot be reached; it will be tried again')
  }

  #adopt(list: UpstreamList): void {
    const text = JSON.stringify(list)
    if (text === this.#listed) return
    this.#listed = text
    this.#tools = toolsOf(list, this, this.#log)
    for (const listener of this.#listeners) listener()
  }

  /** Calls that are under way on it end as they would have. */
  #retire(): void {
    const left = this.#connection
    this.#connection = undefined
    if (left === undefined) return
    this.#retired.add(left)
    void left.retire().then(() => this.#retired.delete(left))
  }
}

/** How long a call waits for a connection that is being renewed. */
const renewalMs = 5000

const listLimitBytes = 4_194_304

function checkedUrl({ name, url, allowPrivate }: UpstreamOptions): URL {
  const checked = new URL(url)
  const complaint = outboundComplaint(checked, allowPrivate)
  if (complaint === undefined) return checked
  throw new Failure('misconfigured', `tool source ${name}: url ${complaint}`, { field: 'tools.sources' })
}

function toolsOf(list: UpstreamList, upstream: UpstreamCalls, log: Log): readonly Tool[] {
  const source = upstream.name
  const { named, refused } = prefixedTools(source, list.tools, (tool) => tool.name)
  for (const what of list.left) log.warn({ source }, `a tool of an upstream is left out: ${what}`)
  for (const tool of refused)
    log.error(
      { source, tool },
      'tools of an upstream are left out: their name is overlong, or two have the same',
    )
  return named.flatMap(({ name, item }) => {
    try {
      return [upstreamTool(upstream, name, item)]
    } catch (cause) {
      log.warn({ err: cause, source, tool: name }, 'a tool of an upstream is left out')
      return []
    }
  })
}

function unreachable(name: string): ToolResult {
  return errorResult(unreachableText(name))
}

/** Until 2025-11-25 a server answers 404 to a session it no longer knows, as after a restart. */
function isSessionLost({ hasSession }: UpstreamConnection, cause: unknown): boolean {
  return hasSession && cause instanceof SdkHttpError && cause.status === 404
}
