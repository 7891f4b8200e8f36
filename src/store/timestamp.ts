/** Microseconds since 1970 in the form of RFC 3339, to the microsecond. */
export function timestamp(microseconds: number): string {
  const seconds = Math.floor(microseconds / 1_000_000)
  const fraction = String(microseconds - seconds * 1_000_000).padStart(6, '0')
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${fraction}Z`
}

export function timestampOrNull(microseconds: number | null): string | null {
  return microseconds === null ? null : timestamp(microseconds)
}

/** Undefined for a text that is not a time of RFC 3339, or not exact in microseconds; smaller digits are cut. */
export function readTimestamp(text: string): number | undefined {
  const [, date = '', time = '', fraction = '', zone = ''] = timeText.exec(text) ?? []
  // V8 takes the 30th of February for the 2nd of March.
  if (new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(date.slice(8))) return undefined
  const milliseconds = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  const microseconds = milliseconds * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
  return Number.isSafeInteger(microseconds) ? microseconds : undefined
}

const timeText = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,12}))?([Zz]|[+-]\d\d:\d\d)$/
