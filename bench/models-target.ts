import { freePort } from '../src/cli/free-port.ts'
import type { StreamOrder, StreamReport } from './models-stream-load.ts'
import { type Form, requestBytes, type ServerSettings } from './models-wire.ts'
import type { LoadOrder, LoadReport } from './tools-load.ts'
import { type PinnedProcess, startPinned } from './tools-process.ts'
import type { Usage } from './tools-usage.ts'

export interface ModelBench {
  /** The mock upstream that the proxies call. */
  readonly upstream: string
  readonly load: PinnedProcess
  readonly streamLoad: PinnedProcess
  readonly say: (progress: string) => void
}

const programs = {
  direct: 'models-upstream-server.ts',
  proxy: 'models-proxy-server.ts',
  postern: 'models-postern-server.ts',
  portkey: 'models-portkey-server.ts',
} as const
export type ServerName = keyof typeof programs

export const names: Readonly<Record<ServerName, string>> = {
  direct: 'upstream directly',
  proxy: 'minimal proxy',
  postern: 'Postern',
  portkey: 'Portkey',
}

/** A server in a process of its own. */
export interface Target {
  /** Portkey is called in its own wire, whatever the form. */
  readonly load: (order: Omit<LoadOrder, 'port' | 'request'>) => Promise<LoadReport>
  readonly streams: (order: Omit<StreamOrder, 'port' | 'request'> & { form: Form }) => Promise<StreamReport>
  readonly usage: () => Promise<Usage>
  readonly stop: () => Promise<void>
}

/** The server has the first core for itself; the load and the upstream share the second. */
export async function startTarget(bench: ModelBench, server: ServerName): Promise<Target> {
  const { upstream, load, streamLoad } = bench
  const settings: ServerSettings = { port: await freePort('127.0.0.1'), upstream, key: 'bench-key' }
  const child = await startPinned(programs[server], { core: 0, settings })
  const { port } = settings
  const form = server === 'portkey' ? 'openai' : 'whole'
  return {
    load: (order) => load.ask({ ...order, port, request: requestBytes(form, settings) }),
    streams: (order) => streamLoad.ask({ ...order, port, request: requestBytes(order.form, settings) }),
    usage: () => child.ask('usage'),
    stop: child.stop,
  }
}
