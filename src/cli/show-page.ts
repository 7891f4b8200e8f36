import type { Io } from './io.ts'

interface Showing {
  readonly isBrowserless: boolean
  /** The person has answered: nobody needs the address any more. */
  readonly over: AbortSignal
}

/** Sends the person to a page: by their browser, and by its address, which they may need to copy. */
export async function showPage(io: Io, page: URL, { isBrowserless, over }: Showing): Promise<void> {
  const isOpened = !isBrowserless && (await io.openPage(page))
  if (over.aborted) return
  const headline = isOpened
    ? 'Your browser shows the page. If it does not, open this address:'
    : 'Open this address in a browser on this machine:'
  io.err(`${headline}\n\n  ${page.href}\n\n${isOpened ? '' : fromAfar(io, page)}`)
}

/** Who came by ssh has the browser on another machine, to which the answer would go. */
function fromAfar({ env }: Io, page: URL): string {
  const { port } = URL.parse(page.searchParams.get('redirect_uri') ?? '') ?? { port: '' }
  if (env.SSH_CONNECTION === undefined || port === '') return ''
  return `From another machine, forward the way back first: ssh -L ${port}:127.0.0.1:${port} HOST\n\n`
}
