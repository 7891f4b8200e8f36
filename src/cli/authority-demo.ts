import { createUsers } from '../authority/users.ts'
import type { Config } from '../config/config-schema.ts'
import { isLoopback } from '../config/url-rules.ts'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { microsecondClock } from '../store/clock.ts'
import { openStore } from '../store/open-store.ts'
import type { Io } from './io.ts'
import type { StopCause } from './stop-on.ts'

/** Somebody whose password the sign-in page shows to everyone. */
export interface DemoUser {
  readonly login: string
  readonly password: string
}

/** Given by `postern dev` to the authority below it as `login:password`; never beyond this machine. */
export function demoUser(config: Config, { env }: Pick<Io, 'env'>): DemoUser | undefined {
  const text = env.POSTERN_DEMO_USER
  if (text === undefined || text === '') return undefined
  const hosts = [config.authority.host, new URL(config.authority.issuer).hostname]
  if (!hosts.every(isLoopback))
    throw new Failure(
      'misconfigured',
      'POSTERN_DEMO_USER is for "postern dev": an authority that others can reach has no demo user; unset it',
    )
  const [login = '', ...password] = text.split(':')
  return { login, password: password.join(':') }
}

/** With the password that is shown, whatever happened to it since the last start. */
export async function ensureDemoUser(
  demo: DemoUser,
  { config, ...options }: { readonly config: Config; readonly directory: string; readonly log: Log },
): Promise<void> {
  const store = await openStore(config.store, options)
  try {
    const users = createUsers(store, microsecondClock(), demoCost)
    const user = await users.findByLogin(demo.login)
    if (user === undefined) await users.add({ ...demo, name: 'Demo', isAdmin: true })
    if (user?.isDisabled === true) await users.enable(demo.login)
    if (user !== undefined && (await users.signIn(demo.login, demo.password)) === undefined)
      await users.setPassword(demo.login, demo.password)
  } finally {
    await store.close()
  }
}

/** The page shows the password to everybody, so its hash need not hold anybody up. */
const demoCost = { logarithm: 12, blockSize: 8, parallelism: 1 }

/** Ctrl-C reaches both programs at once, and the one above then stops this one. */
export function demoCauses(io: Io): readonly StopCause[] {
  io.onSignal('SIGINT', () => {})
  return ['SIGTERM', 'parent gone']
}
