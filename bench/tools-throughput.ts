import type { Finding } from './findings.ts'
import { median } from './timing.ts'
import { type ServerName, startTarget, type Target, type ToolBench } from './tools-target.ts'
import { type Wire, wires } from './tools-wire.ts'

const passes = 7
const passSeconds = 2
const connections = 64

const servers = ['bare', 'postern', 'sdk'] as const satisfies readonly ServerName[]
const names = { bare: 'bare node:http', postern: 'Postern', sdk: 'official SDK v2' } as const

/** The same call to all three servers. By processor time a ratio says the same, and on a busy machine more. */
export async function benchThroughput(bench: ToolBench): Promise<Finding[]> {
  const targets = new Map<ServerName, Target>()
  try {
    for (const server of servers) targets.set(server, await startTarget(bench, server))
    const singles = await warmUp(bench, targets)
    const measured = await runPasses(bench, targets)
    return wires.flatMap((wire) => describeWire(wire, { singles, measured }))
  } finally {
    for (const target of targets.values()) await target.stop()
  }
}

type Targets = ReadonlyMap<ServerName, Target>

/** Also the median time of a call when there is only one connection. */
async function warmUp({ say }: ToolBench, targets: Targets): Promise<ReadonlyMap<string, number>> {
  const singles = new Map<string, number>()
  for (const wire of wires) {
    const sizes = new Map<ServerName, number>()
    for (const [server, target] of targets) {
      say(`${names[server]}, ${wire} wire: warm-up, then one connection`)
      await target.load({ wire, connections, seconds: 2 })
      const { answer, medianMs } = await target.load({ wire, connections: 1, seconds: 1 })
      singles.set(`${server} ${wire}`, medianMs)
      sizes.set(server, answer.length - answer.indexOf('\r\n\r\n') - 4)
    }
    requireEqualSizes(sizes)
  }
  return singles
}

/** A comparison of servers that send different things would say nothing. */
function requireEqualSizes(sizes: ReadonlyMap<ServerName, number>): void {
  const all = [...sizes.values()]
  if (Math.max(...all) > Math.min(...all) * 1.25)
    throw new Error(`the answers differ in size: ${JSON.stringify(Object.fromEntries(sizes))}`)
}

interface Pass {
  readonly rate: number
  readonly cpuMicroseconds: number
}

/** In each pass every case once, so that whatever else the machine does meets all of them alike. */
async function runPasses(
  { say }: ToolBench,
  targets: Targets,
): Promise<ReadonlyMap<string, readonly Pass[]>> {
  const measured = new Map<string, Pass[]>()
  for (let pass = 1; pass <= passes; pass += 1) {
    say(`pass ${pass} of ${passes}`)
    for (const wire of wires)
      for (const [server, target] of targets) {
        const before = await target.usage()
        const report = await target.load({ wire, connections, seconds: passSeconds })
        const after = await target.usage()
        const cpu = after.cpuSeconds - before.cpuSeconds
        if (server === 'postern' && after.allowed - before.allowed !== report.calls)
          throw new Error('a call went by without a decision')
        if (cpu < report.seconds * 0.85)
          say(`${names[server]} had only ${Math.round((cpu / report.seconds) * 100)} % of its core`)
        const list = measured.get(`${server} ${wire}`) ?? []
        list.push({ rate: report.calls / report.seconds, cpuMicroseconds: (cpu / report.calls) * 1e6 })
        measured.set(`${server} ${wire}`, list)
      }
  }
  return measured
}

function describeWire(
  wire: Wire,
  from: {
    readonly singles: ReadonlyMap<string, number>
    readonly measured: ReadonlyMap<string, readonly Pass[]>
  },
): Finding[] {
  const group = `${wire} wire`
  const of = (server: ServerName): readonly Pass[] => from.measured.get(`${server} ${wire}`) ?? []
  const rate = (server: ServerName): number => median(of(server).map((pass) => pass.rate))
  const cpu = (server: ServerName): number => median(of(server).map((pass) => pass.cpuMicroseconds))
  const single = (server: ServerName): number => from.singles.get(`${server} ${wire}`) ?? Number.NaN
  const faster = (one: ServerName, other: ServerName): number =>
    median(of(one).map(({ rate }, at) => rate / (of(other)[at]?.rate ?? Number.NaN)))
  const cheaper = (one: ServerName, other: ServerName): number =>
    median(
      of(one).map(
        ({ cpuMicroseconds }, at) => (of(other)[at]?.cpuMicroseconds ?? Number.NaN) / cpuMicroseconds,
      ),
    )
  return [
    ...servers.flatMap((server): Finding[] => [
      { group, what: `${names[server]}: calls a second`, value: rate(server), unit: 'calls/s' },
      { group, what: `${names[server]}: processor time a call`, value: cpu(server), unit: 'µs' },
      { group, what: `${names[server]}: median at one connection`, value: single(server), unit: 'ms' },
    ]),
    { group, what: 'Postern ÷ bare', value: faster('postern', 'bare'), unit: '×', atLeast: 0.65 },
    { group, what: 'Postern ÷ bare, by processor time', value: cheaper('postern', 'bare'), unit: '×' },
    { group, what: 'Postern ÷ SDK', value: faster('postern', 'sdk'), unit: '×', atLeast: 18 },
    { group, what: 'Postern ÷ SDK, by processor time', value: cheaper('postern', 'sdk'), unit: '×' },
    { group, what: 'bare ÷ SDK, by processor time', value: cheaper('bare', 'sdk'), unit: '×' },
  ]
}
