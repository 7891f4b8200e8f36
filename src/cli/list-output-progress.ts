import type { Io } from './io.ts'

/** How far a long list has come, on standard error and only where somebody sees it. */
export interface Progress {
  readonly show: (count: number, total: number | undefined) => void
  /** Makes room for other output. */
  readonly clear: () => void
}

export function createProgress(io: Pick<Io, 'err' | 'isAttended' | 'screen'>, noun: string): Progress {
  if (!io.isAttended) return { show: () => {}, clear: () => {} }
  let isShown = false
  return {
    show: (count, total) => {
      const { columns = 80 } = io.screen() ?? {}
      io.err(`\r\u001b[K${progressLine({ count, total, noun }, columns)}`)
      isShown = true
    },
    clear: () => {
      if (isShown) io.err('\r\u001b[K')
      isShown = false
    },
  }
}

interface Reached {
  readonly count: number
  readonly total: number | undefined
  readonly noun: string
}

function progressLine({ count, total, noun }: Reached, columns: number): string {
  const many = (number: number): string => number.toLocaleString('en-US')
  if (total === undefined || total < count) return `${many(count)} ${noun} so far`.slice(0, columns - 1)
  const words = `${many(count)} of ${many(total)} ${noun}`
  // One column stays free, because a full line would wrap; the bar has two brackets and a space.
  const width = Math.min(widest, columns - words.length - 4)
  if (width < narrowest) return words.slice(0, columns - 1)
  const filled = Math.round((count / total) * width)
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${words}`
}

const widest = 40
const narrowest = 5
