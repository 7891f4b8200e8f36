/** For people, in UTC: to the minute. */
export function minuteOf(time: string | null): string {
  return time === null ? 'never' : `${time.slice(0, 16).replace('T', ' ')}Z`
}
