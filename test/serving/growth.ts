import assert from 'node:assert/strict'

/**
 * Four times the input may cost four times as much, and some more for chance; sixteen times is what a hostile one is made
 * for. Counted in the processor time of this thread, of which other programs take nothing.
 */
export async function assertLinear(work: (size: number) => unknown, size: number): Promise<void> {
  await work(4 * size)
  const start = process.threadCpuUsage()
  let rounds = 0
  for (; since(start) < measurable; rounds += 1) await work(size)
  const once = since(start)
  const again = process.threadCpuUsage()
  for (let round = 0; round < rounds; round += 1) await work(4 * size)
  const fourfold = since(again)
  assert.ok(
    fourfold < 10 * once,
    `${rounds} times ${size} cost ${once} µs, four times as much ${fourfold} µs`,
  )
}

/** The system counts in ticks of some thousand microseconds. */
const measurable = 60_000

function since(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start)
  return user + system
}
