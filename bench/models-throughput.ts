import type { Finding } from './findings.ts'
import { type ModelBench, names, type ServerName, startTarget, type Target } from './models-target.ts'
import { median } from './timing.ts'

const passes = 7
const passSeconds = 2
const connections = 64
/** So many that all code is compiled, also on a busy machine. */
const warmUpCalls = 50_000
const singleCalls = 400
const singleStreams = 100

const servers = ['direct', 'proxy', 'postern', 'portkey'] as const satisfies readonly ServerName[]

/** What one pass measures of one server. */
interface Pass {
  readonly rate: number
  readonly cpuMicroseconds: number
  /** At one connection, in milliseconds. */
  readonly single: number
  readonly firstEvent: number
}

type Measured = ReadonlyMap<ServerName, readonly Pass[]>

/** The same call to all four servers. By processor time a ratio says the same, and on a busy machine more. */
export async function benchThroughput(bench: ModelBench): Promise<Finding[]> {
  const targets = new Map<ServerName, Target>()
  try {
    for (const server of servers) targets.set(server, await startTarget(bench, server))
    await warmUp(bench, targets)
    return describe(await runPasses(bench, targets))
  } finally {
    for (const target of targets.values()) await target.stop()
  }
}

async function warmUp({ say }: ModelBench, targets: ReadonlyMap<ServerName, Target>): Promise<void> {
  const bodies = new Map<ServerName, string>()
  for (const [server, target] of targets) {
    say(`${names[server]}: warm-up`)
    const calls = server === 'portkey' ? warmUpCalls / 10 : warmUpCalls
    const { answer } = await target.load({ connections, calls })
    bodies.set(server, answer.slice(answer.indexOf('\r\n\r\n')))
  }
  for (const server of ['proxy', 'postern'] as const)
    if (bodies.get(server) !== bodies.get('direct'))
      throw new Error(`${names[server]} does not hand on what the upstream answers`)
}

/** In each pass every case once, so that whatever else the machine does meets all of them alike. */
async function runPasses({ say }: ModelBench, targets: ReadonlyMap<ServerName, Target>): Promise<Measured> {
  const measured = new Map<ServerName, Pass[]>()
  for (let pass = 1; pass <= passes; pass += 1) {
    say(`pass ${pass} of ${passes}`)
    for (const [server, target] of targets) {
      const list = measured.get(server) ?? []
      list.push(await runPass(server, target, say))
      measured.set(server, list)
    }
  }
  return measured
}

async function runPass(server: ServerName, target: Target, say: ModelBench['say']): Promise<Pass> {
  const before = await target.usage()
  const report = await target.load({ connections, seconds: passSeconds })
  const after = await target.usage()
  const cpu = after.cpuSeconds - before.cpuSeconds
  if (server === 'postern' && after.allowed - before.allowed !== report.calls)
    throw new Error('a call went by without a decision that tells its usage')
  if (cpu < report.seconds * 0.85)
    say(`${names[server]} had only ${Math.round((cpu / report.seconds) * 100)} % of its core`)
  const { medianMs } = await target.load({ connections: 1, calls: singleCalls })
  return {
    rate: report.calls / report.seconds,
    cpuMicroseconds: (cpu / report.calls) * 1e6,
    single: medianMs,
    firstEvent: server === 'portkey' ? Number.NaN : await firstEvent(target),
  }
}

async function firstEvent(target: Target): Promise<number> {
  const { complete, medianFirstMs } = await target.streams({
    form: 'stream',
    connections: 1,
    streams: singleStreams,
  })
  if (complete !== singleStreams) throw new Error('a stream did not come to its end')
  return medianFirstMs
}

function describe(measured: Measured): Finding[] {
  const of = (server: ServerName, what: keyof Pass): readonly number[] =>
    (measured.get(server) ?? []).map((pass) => pass[what])
  const middle = (server: ServerName, what: keyof Pass): number => median(of(server, what))
  const paired = (
    [one, other]: readonly [ServerName, ServerName],
    what: keyof Pass,
    relate: (one: number, other: number) => number,
  ): number => median(of(one, what).map((value, at) => relate(value, of(other, what)[at] ?? Number.NaN)))
  const faster = (...pair: [ServerName, ServerName]): number => paired(pair, 'rate', (a, b) => a / b)
  const cheaper = (...pair: [ServerName, ServerName]): number =>
    paired(pair, 'cpuMicroseconds', (a, b) => b / a)
  const added = (what: 'single' | 'firstEvent'): number =>
    paired(['postern', 'direct'], what, (a, b) => a - b)
  const group = 'model call'
  return [
    ...servers.flatMap((server): Finding[] => [
      { group, what: `${names[server]}: calls a second`, value: middle(server, 'rate'), unit: 'calls/s' },
      {
        group,
        what: `${names[server]}: processor time a call`,
        value: middle(server, 'cpuMicroseconds'),
        unit: 'µs',
      },
      {
        group,
        what: `${names[server]}: median at one connection`,
        value: middle(server, 'single'),
        unit: 'ms',
      },
    ]),
    { group, what: 'Postern ÷ minimal proxy', value: faster('postern', 'proxy'), unit: '×', atLeast: 0.6 },
    {
      group,
      what: 'Postern ÷ minimal proxy, by processor time',
      value: cheaper('postern', 'proxy'),
      unit: '×',
    },
    { group, what: 'Postern ÷ Portkey', value: faster('postern', 'portkey'), unit: '×', atLeast: 15 },
    { group, what: 'Postern ÷ Portkey, by processor time', value: cheaper('postern', 'portkey'), unit: '×' },
    {
      group,
      what: 'minimal proxy ÷ Portkey, by processor time',
      value: cheaper('proxy', 'portkey'),
      unit: '×',
    },
    { group, what: 'added at one connection, median', value: added('single'), unit: 'ms', atMost: 0.3 },
    {
      group,
      what: 'first event of a stream later by, median',
      value: added('firstEvent'),
      unit: 'ms',
      atMost: 0.4,
    },
  ]
}
