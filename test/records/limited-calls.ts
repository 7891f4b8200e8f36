import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { createClient } from '@redis/client'
import { parseConfig } from '../../src/config/parse-config.ts'
import { Failure } from '../../src/failure/failure.ts'
import { openLimits } from '../../src/gateway/open-limits.ts'
import type { LimitedPrincipal } from '../../src/limits/charge-book.ts'
import type { Limiter } from '../../src/limits/limiter.ts'
import { createLog } from '../../src/log/log.ts'

export const ann: LimitedPrincipal = {
  issuer: 'https://a.example',
  subject: 'ann@a.example',
  credential: { kind: 'api-key', id: 'key-of-ann' },
}

export interface LimiterUnderTest {
  readonly limiter: Limiter
  /** What was logged, one parsed line each. */
  readonly lines: readonly Readonly<Record<string, unknown>>[]
  /** `admitted`, or the reason of the refusal, of one request. */
  readonly ask: (principal?: LimitedPrincipal) => Promise<string>
}

/** A limiter as the gateway opens it. */
export async function openedLimiter(
  t: TestContext,
  shared: string,
  limits = '{}',
): Promise<LimiterUnderTest> {
  const lines: Record<string, unknown>[] = []
  const log = createLog({ destination: { write: (line) => lines.push(JSON.parse(line)) } })
  const text = `shared: ${JSON.stringify(shared)}\nmodels: [{ name: tiny, engine: story }]\nlimits: ${limits}`
  const limiter = await openLimits(parseConfig(text, { file: 'x.yaml', env: {} }), log)
  t.after(() => limiter.close())
  const ask = (principal: LimitedPrincipal = ann): Promise<string> => outcome(limiter.request(principal))
  return { limiter, lines, ask }
}

export async function outcome(request: Promise<void> | undefined): Promise<string> {
  try {
    await request
    return 'admitted'
  } catch (error) {
    assert.ok(error instanceof Failure)
    return String(error.reason)
  }
}

/** Asks again and again until the answer is the one that is waited for. */
export async function eventually(ask: () => Promise<string>, wanted: string): Promise<void> {
  const end = performance.now() + 40_000
  for (let last = await ask(); last !== wanted; last = await ask()) {
    assert.ok(performance.now() < end, `still ${last}, not ${wanted}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Sends one command of redis-cli and hands back its reply. */
export async function redisCommand(url: string, ...command: readonly string[]): Promise<unknown> {
  const client = await createClient({ url, RESP: 2 }).connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

export interface Hammer {
  readonly process: ChildProcess
  /** Lets it go, and says how many requests were admitted. */
  readonly hit: () => Promise<number>
}

/** A process of its own that waits, ready to ask for so many requests at once. */
export async function hammer(
  configuration: string,
  count: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Hammer> {
  const file = new URL('limit-hammer.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [file, configuration, String(count)], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  assert.deepEqual(await lines.next(), { value: 'ready', done: false })
  return {
    process: child,
    hit: async () => {
      child.stdin.write('go\n')
      const [admitted, refused] = String((await lines.next()).value)
        .split(' ')
        .map(Number)
      assert.equal(Number(admitted) + Number(refused), count)
      return Number(admitted)
    },
  }
}
