/** Runs the cases in turn, round after round, so that whatever else the machine does meets all of them alike. */
export async function interleaved<Name extends string>(
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
  cases: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(cases).filter((name): name is Name => name in cases)
  const times = new Map<Name, number[]>(names.map((name) => [name, []]))
  for (let round = -warmUp; round < rounds; round += 1)
    for (const name of names) {
      const milliseconds = await timed(cases[name])
      if (round >= 0) times.get(name)?.push(milliseconds)
    }
  const medians: Partial<Record<Name, number>> = {}
  for (const [name, list] of times) medians[name] = median(list)
  return complete(medians, names)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - start) / 1e6
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function complete<Name extends string>(
  found: Partial<Record<Name, number>>,
  names: readonly Name[],
): Record<Name, number> {
  const has = (record: Partial<Record<Name, number>>): record is Record<Name, number> =>
    names.every((name) => record[name] !== undefined)
  if (!has(found)) throw new Error('a case was not measured')
  return found
}
