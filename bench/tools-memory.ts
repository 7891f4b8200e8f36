import type { Finding } from './findings.ts'
import { startTarget, type ToolBench } from './tools-target.ts'

const few = 50_000
const many = 500_000

/** What a server holds must not grow with the number of calls that it has answered. */
export async function benchMemory(bench: ToolBench): Promise<Finding[]> {
  const [first, last] = [few, many].map((count) => count.toLocaleString('en'))
  bench.say(`memory after ${first} and after ${last} calls`)
  const target = await startTarget(bench, 'postern')
  try {
    await target.load({ wire: 'modern', connections: 64, calls: few })
    const before = (await target.usage()).residentMegabytes
    await target.load({ wire: 'modern', connections: 64, calls: many - few })
    const after = (await target.usage()).residentMegabytes
    const group = 'Postern, memory'
    return [
      { group, what: `resident after ${first} calls`, value: before, unit: 'MB' },
      { group, what: `resident after ${last} calls`, value: after, unit: 'MB' },
      { group, what: `after ${last} ÷ after ${first}`, value: after / before, unit: '×', atMost: 1.15 },
    ]
  } finally {
    await target.stop()
  }
}
