import { ClientError } from '../client-error.ts'
import type { Redirect } from './redirect.ts'
import { safeUrl } from './safe-url.ts'

export interface PopupOptions {
  /** A page of the same origin, registered with the issuer, that calls `passAnswer(location.href)`. */
  readonly redirectUri: string
  /** Shows the sign-in, as `(page) => window.open(page, '_blank', 'popup')` does; gives null where it may not. */
  readonly show: (page: URL) => unknown
}

/** For browsers: the sign-in happens in a window of its own, and this page stays as it is. */
export function popupRedirect({ redirectUri, show }: PopupOptions): Redirect {
  safeUrl(redirectUri, { what: 'redirectUri', mayBeLocal: true })
  return {
    kind: 'web',
    open: async () => {
      // Not `window.opener`, which issuers cut off (Cross-Origin-Opener-Policy), as they should.
      const channel = new BroadcastChannel(channelName)
      return {
        redirectUri,
        waitForAnswer: (page, signal) =>
          new Promise((resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true })
            channel.onmessage = ({ data }: { readonly data: unknown }) => {
              const answer = URL.parse(typeof data === 'string' ? data : '')
              if (answer?.searchParams.get('state') === page.searchParams.get('state')) resolve(answer)
            }
            if (show(page) === null) reject(popupBlocked())
          }),
        close: async () => channel.close(),
      }
    },
  }
}

function popupBlocked(): ClientError {
  return new ClientError(
    'popup_blocked',
    'the browser did not open a window for the sign-in: begin it at a click, or allow this page to open windows',
  )
}

/** On the page of `redirectUri`: hands its own address to the page that waits. */
export function passAnswer(href: string): void {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(href)
  channel.close()
}

const channelName = 'postern-sign-in'
