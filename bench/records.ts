import { startPostgres } from '../test/postgres-server.ts'
import type { Finding } from './findings.ts'
import { type Mode, type RecordsBench, type RecordsTarget, startTarget } from './records-target.ts'
import { median } from './timing.ts'
import { startIssuer } from './tools-issuer.ts'
import { isPinned, startPinned } from './tools-process.ts'

const passes = 7
const passSeconds = 2
const modes = ['off', 'grouped', 'strict'] as const satisfies readonly Mode[]

/** An authorized `tools/call` over 64 connections: without a record of it, with one, and with one that is waited for. */
export async function benchRecords(say: (progress: string) => void): Promise<readonly Finding[]> {
  if (!isPinned) say('without taskset and a second core, server and load share what there is')
  const issuer = await startIssuer()
  const load = await startPinned('tools-load.ts', { core: 1 })
  const postgres = await startPostgres(['synchronous_commit=on'])
  try {
    const bench = { issuer, load, say }
    return [
      ...(await benchStore(bench, 'SQLite', undefined)),
      ...(await benchStore(bench, 'Postgres', postgres.url)),
    ]
  } finally {
    await load.stop()
    issuer.stop()
    await postgres.stop()
  }
}

interface Pass {
  readonly rate: number
  readonly cpuMicroseconds: number
  readonly behindMs: number
}

/** In each pass every mode once, so that whatever else the machine does meets all of them alike. */
async function benchStore(
  bench: RecordsBench,
  name: string,
  store: string | undefined,
): Promise<readonly Finding[]> {
  const targets = new Map<Mode, RecordsTarget>()
  const measured = new Map<Mode, Pass[]>(modes.map((mode) => [mode, []]))
  try {
    for (const mode of modes) {
      // One after the other, because they share the tables of one Postgres.
      const target = await startTarget(bench, mode, store)
      targets.set(mode, target)
      bench.say(`${name}, ${mode}: warm-up`)
      await target.load(passSeconds)
    }
    for (let pass = 1; pass <= passes; pass += 1) {
      bench.say(`${name}: pass ${pass} of ${passes}`)
      for (const [mode, target] of targets) measured.get(mode)?.push(await runPass(target, mode))
    }
  } finally {
    for (const target of targets.values()) await target.stop()
  }
  return describeStore(`records, ${name}`, (mode) => measured.get(mode) ?? [])
}

async function runPass(target: RecordsTarget, mode: Mode): Promise<Pass> {
  const before = await target.usage()
  const report = await target.load(passSeconds)
  const after = await target.usage()
  if (after.dropped > 0) throw new Error(`${after.dropped} records were dropped`)
  if (mode !== 'off' && after.recorded - before.recorded !== report.calls)
    throw new Error(`${report.calls} calls have ${after.recorded - before.recorded} records`)
  return {
    rate: report.calls / report.seconds,
    cpuMicroseconds: ((after.cpuSeconds - before.cpuSeconds) / report.calls) * 1e6,
    behindMs: after.behindMs,
  }
}

function describeStore(group: string, of: (mode: Mode) => readonly Pass[]): readonly Finding[] {
  const ratio = (mode: Mode): number =>
    median(of(mode).map(({ rate }, at) => rate / (of('off')[at]?.rate ?? Number.NaN)))
  const cost = (mode: Mode): number =>
    median(of(mode).map(({ cpuMicroseconds }, at) => cpuMicroseconds - (of('off')[at]?.cpuMicroseconds ?? 0)))
  return [
    ...modes.map(
      (mode): Finding => ({
        group,
        what: `${mode}: calls a second`,
        value: median(of(mode).map(({ rate }) => rate)),
        unit: 'calls/s',
      }),
    ),
    { group, what: 'grouped ÷ off', value: ratio('grouped'), unit: '×', atLeast: 0.9 },
    { group, what: 'strict ÷ off', value: ratio('strict'), unit: '×', atLeast: 0.5 },
    { group, what: 'grouped: processor time of a record, all threads', value: cost('grouped'), unit: 'µs' },
    { group, what: 'strict: processor time of a record, all threads', value: cost('strict'), unit: 'µs' },
    {
      group,
      what: 'grouped: time from the last answer to the last record',
      value: median(of('grouped').map(({ behindMs }) => behindMs)),
      unit: 'ms',
    },
  ]
}
