import { setTimeout as delay } from 'node:timers/promises'
import type { Finding } from './findings.ts'
import { type ModelBench, startTarget } from './models-target.ts'
import { heldEvents, heldEveryMs } from './models-wire.ts'

const streams = 1000

/** A thousand streams at once for a minute: none may break, and what they hold must not grow. */
export async function benchStreams(bench: ModelBench): Promise<Finding[]> {
  const seconds = (heldEvents * heldEveryMs) / 1000
  bench.say(`${streams} streams held for ${seconds} seconds`)
  const target = await startTarget(bench, 'postern')
  try {
    await target.load({ connections: 64, seconds: 2 })
    const before = await target.usage()
    const held = target.streams({ form: 'held', connections: streams, streams: 1 })
    await delay(seconds * 250)
    const early = (await target.usage()).residentMegabytes
    await delay(seconds * 650)
    const late = (await target.usage()).residentMegabytes
    const { complete, events } = await held
    const { allowed } = await target.usage()
    const group = `${streams.toLocaleString('en')} streams`
    return [
      { group, what: 'came to their end ÷ begun', value: complete / streams, unit: '×', atLeast: 1 },
      {
        group,
        what: 'events received ÷ sent',
        value: events / (streams * heldEvents),
        unit: '×',
        atLeast: 1,
      },
      {
        group,
        what: 'usage recorded ÷ begun',
        value: (allowed - before.allowed) / streams,
        unit: '×',
        atLeast: 1,
      },
      { group, what: 'resident before', value: before.residentMegabytes, unit: 'MB' },
      { group, what: 'resident after a quarter of the time', value: early, unit: 'MB' },
      { group, what: 'resident near the end', value: late, unit: 'MB' },
      { group, what: 'near the end ÷ after a quarter', value: late / early, unit: '×', atMost: 1.15 },
    ]
  } finally {
    await target.stop()
  }
}
