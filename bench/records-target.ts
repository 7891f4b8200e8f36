import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../src/cli/free-port.ts'
import type { BenchIssuer } from './tools-issuer.ts'
import type { LoadReport } from './tools-load.ts'
import { type PinnedProcess, startPinned } from './tools-process.ts'
import { requestBytes } from './tools-wire.ts'

export type Mode = 'off' | 'grouped' | 'strict'

export interface RecordsSettings {
  readonly port: number
  readonly issuer: string
  readonly mode: Mode
  readonly store: string
  readonly directory: string
}

export interface RecordsUsage {
  /** How long it took until all records were in the store. */
  readonly behindMs: number
  /** Events in the store. */
  readonly recorded: number
  readonly dropped: number
  readonly cpuSeconds: number
}

export interface RecordsBench {
  readonly issuer: BenchIssuer
  readonly load: PinnedProcess
  readonly say: (progress: string) => void
}

/** A gateway in a process of its own. */
export interface RecordsTarget {
  readonly load: (seconds: number) => Promise<LoadReport>
  readonly usage: () => Promise<RecordsUsage>
  readonly stop: () => Promise<void>
}

const connections = 64

/** Not on a core of its own, as the others are: the thread that stores the records needs a place too. */
export async function startTarget(
  { issuer, load }: RecordsBench,
  mode: Mode,
  store = 'sqlite:./records.db',
): Promise<RecordsTarget> {
  const port = await freePort('127.0.0.1')
  const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'))
  const settings: RecordsSettings = { port, issuer: issuer.issuer, mode, store, directory }
  const child = await startPinned('records-server.ts', { settings })
  const token = await issuer.token(`http://127.0.0.1:${port}/mcp`)
  const request = requestBytes('modern', { port, token })
  return {
    load: (seconds) => load.ask({ port, request, connections, seconds }),
    usage: () => child.ask('usage'),
    stop: async () => {
      await child.stop()
      await rm(directory, { recursive: true })
    },
  }
}
