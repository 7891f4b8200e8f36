import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../failure/failure.ts'

/** A new file of ours; disposed of before it was written, it is gone again. */
export interface ClaimedFile extends AsyncDisposable {
  readonly write: (text: string) => Promise<void>
}

/** Readable by its owner alone; a file that is there already is never overwritten. */
export async function claimFile(folder: string, name: string): Promise<ClaimedFile> {
  const path = join(folder, name)
  const handle = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw cannotClaim(name, cause)
  })
  let isWritten = false
  return {
    write: async (text) => {
      await handle.writeFile(text)
      await handle.sync()
      isWritten = true
    },
    [Symbol.asyncDispose]: async () => {
      await handle.close()
      if (!isWritten) await rm(path)
    },
  }
}

function cannotClaim(name: string, cause: unknown): Failure {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  const why = code === 'EEXIST' ? 'it exists already; move it away' : `it cannot be created (${code})`
  return new Failure('conflict', `${name}: ${why}, or print the file with --json`, { cause })
}
