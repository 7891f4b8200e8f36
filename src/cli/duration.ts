import { Failure } from '../failure/failure.ts'

/** `45s`, `30m`, `12h` or `30d`, in seconds. */
export function readDuration(text: string, option: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  const seconds = Number(digits) * (secondsPer.get(unit) ?? Number.NaN)
  if (Number.isFinite(seconds)) return seconds
  throw new Failure(
    'invalid-request',
    `${option} must be a number and one of s, m, h, d, such as 30d; not "${text}"`,
  )
}

const secondsPer: ReadonlyMap<string, number> = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])
