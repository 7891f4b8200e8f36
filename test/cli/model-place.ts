import type { Io } from '../../src/cli/io.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { createLog } from '../../src/log/log.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startModelServer } from '../model-api/model-server.ts'
import { createWordEngine, type WordEngine } from '../model-api/word-engine.ts'
import { type Workplace, workplace } from './call-postern.ts'

/** Commands that find a model API, and a key for it, in their environment. */
export interface ModelPlace extends AsyncDisposable, Pick<Workplace, 'folder' | 'call' | 'json'> {
  readonly env: Readonly<Record<string, string>>
  /** The engine of the model `words`. */
  readonly words: WordEngine
}

export async function startModelPlace(engines: Readonly<Record<string, Engine>>): Promise<ModelPlace> {
  const words = createWordEngine()
  const store = await openStore('sqlite::memory:', { log: createLog({ level: 'silent' }), directory: '.' })
  const server = await startModelServer({ store, engines: { ...engines, words }, isListening: true })
  const place = await workplace()
  const env = {
    POSTERN_URL: server.publicUrl,
    GEMINI_API_KEY: await server.keyFor('ada'),
    POSTERN_TOKEN_FILE: `${place.folder}/tokens.json`,
  }
  const within = (world: Partial<Io> = {}): Partial<Io> => ({ env, ...world })
  return {
    folder: place.folder,
    env,
    words,
    call: (args, world) => place.call(args, within(world)),
    json: (args, world) => place.json(args, within(world)),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await store.close()
      await place[Symbol.asyncDispose]()
    },
  }
}
