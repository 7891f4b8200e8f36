import { finish, forgetSession } from './leave.ts'
import { sendPage } from './page.ts'
import { type Complaint, signInPage } from './page-sign-in.ts'
import type { User } from './user-row.ts'
import type { Visit } from './visit.ts'

export function sendSignIn(visit: Visit, complaint?: Complaint): void {
  const { exchange, interaction, people } = visit
  const { config, demo } = people.context
  const hint = interaction.params.login_hint
  const page = signInPage({
    ...visit,
    gatewayHost: new URL(config.server.publicUrl).host,
    hasPasswords: config.authority.localUsers,
    upstreamName: config.authority.upstream?.name,
    demo,
    login: exchange.form.get('login') ?? (typeof hint === 'string' ? hint : ''),
    ...(complaint === undefined ? {} : { complaint }),
  })
  sendPage(exchange.response, page)
}

export interface SignedIn {
  readonly user: User
  /** Microseconds, and before anything was checked: a password that changes meanwhile must not count. */
  readonly at: number
  readonly methods?: readonly string[]
}

export async function finishSignIn(visit: Visit, { user, at, methods }: SignedIn): Promise<void> {
  await forgetSession(visit, user.id)
  const ts = Math.floor(at / 1_000_000)
  const login = { accountId: user.id, ts, ...(methods === undefined ? {} : { amr: [...methods] }) }
  return finish(visit, { login }, false)
}
