import { isFreePort } from '../src/cli/free-port.ts'

/** Below what systems give to whoever asks for any port, so that nobody is given it before its program listens. */
const range = { first: 20_000, blocks: 300, perBlock: 40 } as const
/** The pids of test files that run at the same time are near each other, so each has ports of its own. */
const block = range.first + (process.pid % range.blocks) * range.perBlock
let given = 0

/** A port of 127.0.0.1 for a program that is started a moment later. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < range.perBlock; tries += 1) {
    const port = block + (given % range.perBlock)
    given += 1
    if (await isFreePort(port)) return port
  }
  throw new Error(`no port from ${block} on is free`)
}
