import { createLog } from '../../src/log/log.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { sealingSecret, type Workplace, workplace } from '../cli/call-postern.ts'
import { freePort } from '../free-port.ts'
import { type Postern, spawnPostern } from '../serving/spawn-postern.ts'

/** `postern serve`, and `postern authority` where it is asked for, as real processes on one store. */
export interface House extends AsyncDisposable {
  readonly url: string
  readonly authorityUrl: string
  readonly place: Workplace
  readonly gateway: Postern
  /** An API key, made with these options. */
  readonly key: (...options: readonly string[]) => Promise<string>
}

export interface HouseOrder {
  /** Issuers besides the authority. */
  readonly issuers?: readonly object[]
  /** What the authority is given; without it there is none. */
  readonly authority?: object
  readonly more?: object
}

export interface HouseAddress {
  readonly port: number
  readonly url: string
  readonly authorityPort: number
  readonly authorityUrl: string
}

/** Known before anything runs, since issuers have to know it too. */
export async function houseAddress(): Promise<HouseAddress> {
  const [port, authorityPort] = [await freePort(), await freePort()]
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    authorityPort,
    authorityUrl: `http://127.0.0.1:${authorityPort}`,
  }
}

export async function startHouse(address: HouseAddress, order: HouseOrder = {}): Promise<House> {
  const place = await workplace(JSON.stringify(settings(address, order)))
  const started: Postern[] = []
  const stop = async (): Promise<void> => {
    for (const postern of started) await postern[Symbol.asyncDispose]()
    await place[Symbol.asyncDispose]()
  }
  try {
    if (order.authority !== undefined) started.push(spawnPostern(['authority'], { cwd: place.folder }))
    await started[0]?.logs('ready')
    const gateway = spawnPostern(['serve'], { cwd: place.folder })
    started.push(gateway)
    await gateway.logs('ready')
    return {
      ...address,
      place,
      gateway,
      key: async (...options) =>
        String(
          Object(await place.json(['keys', 'create', '--name', 'test', '--principal', 'test', ...options]))
            .key,
        ),
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Works on the store of the house, for what no command does: to let a key grow old. */
export async function inStore(
  { place }: Pick<House, 'place'>,
  work: (store: Store) => Promise<unknown>,
): Promise<void> {
  const log = createLog({ level: 'silent' })
  const store = await openStore('sqlite:./data/postern.db', { log, directory: place.folder })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

function settings({ port, url, authorityPort, authorityUrl }: HouseAddress, order: HouseOrder): object {
  const own = order.authority === undefined ? [] : [{ issuer: authorityUrl }]
  return {
    server: { port, opsPort: 0, publicUrl: url },
    issuers: [...own, ...(order.issuers ?? [])],
    authority: { port: authorityPort, secret: sealingSecret, ...order.authority },
    models: [
      { name: 'tiny', engine: 'story' },
      { name: 'tale', engine: 'story' },
    ],
    aliases: { 'gemini-*': 'tiny', '*embedding*': 'tale' },
    ...order.more,
  }
}
