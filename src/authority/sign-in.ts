import { Failure } from '../failure/failure.ts'
import { hasSwitched } from './leave.ts'
import type { Complaint } from './page-sign-in.ts'
import { finishSignIn, sendSignIn } from './sign-in-answer.ts'
import { beginUpstream } from './upstream-sign-in.ts'
import type { Visit } from './visit.ts'

/** Where there are no passwords, the upstream is the page, unless there is something to say first. */
export async function showSignIn(visit: Visit): Promise<void> {
  const { context, upstream } = visit.people
  if (upstream === undefined || context.config.authority.localUsers || hasSwitched(visit)) {
    return sendSignIn(visit)
  }
  return beginUpstream(visit)
}

export async function submitSignIn(visit: Visit): Promise<void> {
  const { people, exchange } = visit
  if (!people.context.config.authority.localUsers) return sendSignIn(visit)
  const login = exchange.form.get('login') ?? ''
  const password = exchange.form.get('password') ?? ''
  const attempt = { login, address: exchange.address }
  const at = people.context.now()
  const wait = await people.throttle.begin(attempt)
  if (wait > 0) return sendSignIn(visit, tooMany(wait))
  const user = await people.users.signIn(login, password).catch(busyOr)
  if (user === undefined) return sendSignIn(visit, wrong)
  if (user === 'busy') {
    await people.throttle.withdraw(attempt)
    return sendSignIn(visit, busy)
  }
  await people.throttle.succeed(attempt)
  return finishSignIn(visit, { user, at, methods: ['pwd'] })
}

/** The same for an unknown login, a wrong password and a disabled user. */
const wrong: Complaint = {
  text: 'That login and password do not go together. Check both and try again.',
  status: 400,
  isAboutFields: true,
}

const busy: Complaint = {
  text: 'Very many people are signing in at this moment. Try again in a few seconds.',
  status: 503,
  isAboutFields: false,
  retryAfterSeconds: 5,
}

function busyOr(error: unknown): 'busy' {
  if (error instanceof Failure && error.reason === 'too_many_sign_ins') return 'busy'
  throw error
}

/** Attempts whose passwords are right count as well while these are looked at. */
function tooMany(seconds: number): Complaint {
  const [count, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return {
    text: `Too many attempts with this login or from your network. Wait ${count} ${unit}${count === 1 ? '' : 's'}, then try again.`,
    status: 429,
    isAboutFields: false,
    retryAfterSeconds: seconds,
  }
}
