import type { Kind } from './json-kinds.ts'
import { excerpt, invalidValue } from './json-reading.ts'

/** A `google.protobuf.Timestamp`, read as microseconds since 1970. */
export const time: Kind<number> = kind('Timestamp', (text) => {
  const [, whole = '', fraction = '', zone = ''] = timeText.exec(text) ?? []
  const milliseconds = Date.parse(`${whole.toUpperCase()}${zone.toUpperCase()}`)
  return Number.isNaN(milliseconds) ? undefined : milliseconds * 1000 + microsecondsOf(fraction)
})

/** A `google.protobuf.Duration` such as `3.5s`, read as microseconds. */
export const duration: Kind<number> = kind('Duration', (text) => {
  const [, sign = '', seconds, fraction = ''] = durationText.exec(text) ?? []
  if (seconds === undefined) return undefined
  return (sign === '-' ? -1 : 1) * (Number(seconds) * 1_000_000 + microsecondsOf(fraction))
})

const timeText = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/
const durationText = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/

function microsecondsOf(fraction: string): number {
  return Number(fraction.slice(0, 6).padEnd(6, '0'))
}

function kind(name: string, convert: (text: string) => number | undefined): Kind<number> {
  const type = `type.googleapis.com/google.protobuf.${name}`
  return {
    type,
    takesList: false,
    read: (value, reading) => {
      const found = typeof value === 'string' ? convert(value) : undefined
      if (found === undefined) invalidValue(reading, type, excerpt(value))
      return found
    },
  }
}
