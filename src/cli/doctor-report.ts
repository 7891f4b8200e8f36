import type { Check } from '../client/doctor/check.ts'
import type { Diagnosis } from '../client/doctor/diagnose.ts'
import { shellWord } from './shell-word.ts'
import { createStyle } from './style.ts'
import { oneLine } from './terminal-text.ts'

interface Terminal {
  readonly hasColor: boolean
}

export interface Conclusion extends Diagnosis {
  readonly server: URL | undefined
  /** Whether the server is that of a configuration here. */
  readonly isInstallation: boolean
  /** The configuration that was named. */
  readonly config: string | undefined
  /** Whether a login is how the caller gets tokens. */
  readonly mayLogin: boolean
  /** How this program is called, such as `npx postern`. */
  readonly program: string
}

const signs = { ok: '✓', failed: '✗', skipped: '–' } as const satisfies Record<Check['state'], string>
const longestName = 22

export function checkLine({ name, state, detail, ms }: Check, terminal: Terminal): string {
  const { bold, dim } = createStyle(terminal)
  const line = `${signs[state]} ${name.padEnd(longestName)} ${oneLine(detail)}`
  const paint = { ok: (text: string) => text, failed: bold, skipped: dim }[state]
  return `${paint(line)} ${dim(`(${ms} ms)`)}\n`
}

/** The one thing to do; whatever else failed is left for the next time. */
export function tellConclusion(conclusion: Conclusion, terminal: Terminal): string {
  const { bold } = createStyle(terminal)
  const command = commandOf(conclusion)
  const step = `${bold('What to do:')} ${oneLine(nextOf(conclusion))}\n`
  return `\n${step}${command === undefined ? '' : `\n  ${command}\n`}`
}

/** The same for machines. */
export function reportView(conclusion: Conclusion): object {
  const { isHealthy, checks, cause, server } = conclusion
  const command = commandOf(conclusion)
  return {
    ok: isHealthy,
    ...(server === undefined ? {} : { server: server.href }),
    ...(cause === undefined ? {} : { cause }),
    next: nextOf(conclusion),
    ...(command === undefined ? {} : { command }),
    checks,
  }
}

function isNotStarted({ checks, cause, isInstallation }: Conclusion): boolean {
  const first = checks.find(({ state }) => state === 'failed')
  return isInstallation && first?.name === 'reach' && cause === 'connection_refused'
}

function nextOf(conclusion: Conclusion): string {
  return isNotStarted(conclusion) ? 'Start the server.' : conclusion.next
}

/** To be pasted: words of a server are quoted, so that they stay words. */
function commandOf(conclusion: Conclusion): string | undefined {
  const { signIn, server, mayLogin, config, program } = conclusion
  if (isNotStarted(conclusion)) {
    const named = config === undefined ? [] : ['--config', config]
    return [program, ...['serve', ...named].map(shellWord)].join(' ')
  }
  if (signIn === undefined || server === undefined || !mayLogin) return undefined
  const scopes = (signIn.scopes ?? []).flatMap((scope) => ['--scope', scope])
  return [program, ...['login', server.href, ...scopes].map(shellWord)].join(' ')
}
