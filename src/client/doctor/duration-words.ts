const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** In the largest unit that fits, rounded. */
export function durationWords(milliseconds: number): string {
  // 59 minutes and 58 seconds are an hour to everybody.
  const [unit, size] = units.find(([, one]) => milliseconds >= one * 0.98) ?? units[3]
  const count = Math.round(milliseconds / size)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
