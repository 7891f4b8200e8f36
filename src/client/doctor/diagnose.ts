import { isLoopback } from '../oauth/safe-url.ts'
import { checkCalls } from './call-check.ts'
import { type Check, left, type SignInCure } from './check.ts'
import { checkClocks } from './clock-check.ts'
import { checkEntrance } from './entrance-check.ts'
import { type Examination, type ExaminationOptions, openExamination } from './examination.ts'
import { checkIssuer, type Issuer } from './issuer-check.ts'
import { readToken } from './read-token.ts'
import { checkResource } from './resource-check.ts'
import { checkSignIn } from './sign-in-check.ts'
import { checkToken } from './token-checks.ts'

export interface DiagnoseOptions extends ExaminationOptions {
  /** An access token to look at and to call with; it is sent to this server alone, and shown nowhere. */
  readonly token?: string | undefined
}

export interface Diagnosis {
  readonly isHealthy: boolean
  readonly checks: readonly Check[]
  /** A stable word for the first thing that is wrong. */
  readonly cause?: string
  /** The one thing to do now. */
  readonly next: string
  readonly signIn?: SignInCure
}

/** Examines a tool server, anybody's, from outside: whether clients can reach it, sign in and call it, and if not, why. */
export async function diagnose(address: string | URL, options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const examination = openExamination(options)
  await examineServer(examination, { url: new URL(address), token: options.token })
  return conclude(examination.checks)
}

export interface ServerQuestion {
  readonly url: URL
  readonly token: string | undefined
  /** Authorization servers that were examined before, by their names. */
  readonly known?: ReadonlyMap<string, Issuer>
}

export async function examineServer(examination: Examination, question: ServerQuestion): Promise<void> {
  const { url, token } = question
  const entrance = await checkEntrance(examination, url)
  if (entrance === undefined) return
  const { challenge, isOpen, aheadMs } = entrance
  const resource = await checkResource(examination, { url, challenge, isOpen })
  const issuers = await examineIssuers(examination, question, resource?.issuers ?? [])
  const [first] = issuers
  await checkClocks(examination, { server: aheadMs, issuer: first?.aheadMs })
  if (token === undefined && !isOpen) {
    await examination.check('token', () => ({
      ...left('None was given: nothing was called'),
      cause: 'no_token',
    }))
    return
  }
  const isBound = token !== undefined && readToken(token)?.claims.cnf !== undefined
  const call = isBound
    ? await examination.check('call', () => left<never>('The token is bound to a key that is not here (cnf)'))
    : await checkCalls(examination, { url, token })
  if (token === undefined) return
  const needed = challenge?.scopes ?? []
  const name = resource?.name ?? url.href
  await checkToken(examination, {
    token,
    resource: name,
    issuers,
    needed,
    aheadMs: aheadMs ?? 0,
    isOpen,
    call,
  })
}

/** What to do about what was found: the first failure is the reason of those after it. */
export function conclude(checks: readonly Check[]): Diagnosis {
  const failed = checks.filter(({ state }) => state === 'failed')
  const [first] = [...failed.filter(({ cure }) => cure !== undefined), ...failed]
  if (first === undefined) {
    const isWithoutToken = checks.some(({ cause }) => cause === 'no_token')
    return isWithoutToken
      ? {
          isHealthy: true,
          checks,
          next: 'Sign in, and look again: then a call is tried as well.',
          signIn: {},
        }
      : { isHealthy: true, checks, next: 'Nothing: all is well.' }
  }
  const { cause = 'unknown', cure = first.detail, signIn } = first
  return { isHealthy: false, checks, cause, next: cure, ...(signIn === undefined ? {} : { signIn }) }
}

/** Clients take the first; more than a few are nobody's intention. */
const mostIssuers = 3

async function examineIssuers(
  examination: Examination,
  { url, known }: ServerQuestion,
  names: readonly string[],
): Promise<readonly Issuer[]> {
  const mayBeLocal = isLoopback(url)
  const issuers: Issuer[] = []
  for (const issuer of names.slice(0, mostIssuers)) {
    const found = known?.get(issuer) ?? (await checkIssuer(examination, { issuer, mayBeLocal }))
    if (found === undefined) continue
    issuers.push(found)
    await checkSignIn(examination, found, mayBeLocal)
  }
  return issuers
}
