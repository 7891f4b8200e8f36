import type { Progress } from '../client/tools/tool.ts'
import type { Io } from './io.ts'
import { oneLine } from './terminal-text.ts'

export interface CallProgress {
  readonly show: (progress: Progress) => void
  readonly clear: () => void
}

/** One line on standard error that is written again and again; nothing where nobody reads it. */
export function createCallProgress({ isAttended, err, screen }: Io): CallProgress {
  let isShown = false
  const clear = (): void => {
    if (isShown) err('\r\u001b[K')
    isShown = false
  }
  const show = (progress: Progress): void => {
    if (!isAttended) return
    clear()
    err(lineOf(progress).slice(0, (screen()?.columns ?? 80) - 1))
    isShown = true
  }
  return { show, clear }
}

function lineOf({ progress, total, message = '' }: Progress): string {
  const share = total === undefined || total <= 0 ? undefined : Math.min(1, Math.max(0, progress / total))
  const count = share === undefined ? String(progress) : `${bar(share)} ${Math.floor(share * 100)}%`
  return `${count} ${oneLine(message)}`.trimEnd()
}

function bar(share: number): string {
  const full = Math.floor(share * 20)
  return `[${'#'.repeat(full)}${' '.repeat(20 - full)}]`
}
