import { Failure } from '../failure/failure.ts'
import type { Clock } from '../store/clock.ts'

/** A document as its host sent it. */
export interface SentDocument {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Buffer
}

/** Asks for a document, and gives the last good answer where the host is down; what a host takes back is not kept. */
export type LastDocuments = (address: string, ask: () => Promise<SentDocument>) => Promise<SentDocument>

export function createLastDocuments(now: Clock): LastDocuments {
  const good = new Map<string, { readonly body: Buffer; readonly at: number }>()
  return async (address, ask) => {
    const last = good.get(address)
    try {
      const sent = await ask()
      if (isOutage(sent))
        throw new Failure('unavailable', `the host of a client document answers ${sent.status}`)
      good.delete(address)
      if (sent.status === 200) remember(good, address, { body: sent.body, at: now() })
      return sent
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code !== 'unavailable') good.delete(address)
      else if (last !== undefined && now() - last.at <= longest)
        return { status: 200, headers: [], body: last.body }
      throw error
    }
  }
}

/** A day in microseconds. */
const longest = 86_400 * 1_000_000
/** With 5 KB each at most. */
const most = 2000

function isOutage({ status }: SentDocument): boolean {
  return status >= 500 || status === 429
}

function remember<Value>(good: Map<string, Value>, address: string, value: Value): void {
  good.set(address, value)
  const [oldest] = good.keys()
  if (good.size > most && oldest !== undefined) good.delete(oldest)
}
