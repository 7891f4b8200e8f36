import { freePort } from '../src/cli/free-port.ts'
import type { BenchIssuer } from './tools-issuer.ts'
import type { LoadOrder, LoadReport } from './tools-load.ts'
import { type PinnedProcess, startPinned } from './tools-process.ts'
import type { Usage } from './tools-usage.ts'
import { requestBytes, type Wire } from './tools-wire.ts'

export interface ToolBench {
  readonly issuer: BenchIssuer
  readonly load: PinnedProcess
  readonly say: (progress: string) => void
}

const programs = {
  bare: 'tools-bare-server.ts',
  postern: 'tools-postern-server.ts',
  sdk: 'tools-sdk-server.ts',
} as const
export type ServerName = keyof typeof programs

/** A server in a process of its own, and a token for it. */
export interface Target {
  readonly load: (order: Omit<LoadOrder, 'port' | 'request'> & { readonly wire: Wire }) => Promise<LoadReport>
  readonly usage: () => Promise<Usage>
  readonly stop: () => Promise<void>
}

export async function startTarget({ issuer, load }: ToolBench, server: ServerName): Promise<Target> {
  const port = await freePort('127.0.0.1')
  const resource = `http://127.0.0.1:${port}/mcp`
  const settings = { port, resource, issuer: issuer.issuer }
  const child = await startPinned(programs[server], { core: 0, settings })
  const at = { port, token: await issuer.token(resource) }
  return {
    load: ({ wire, ...order }) => load.ask({ ...order, port, request: requestBytes(wire, at) }),
    usage: () => child.ask('usage'),
    stop: child.stop,
  }
}
