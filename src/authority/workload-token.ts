import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose'
import { Failure } from '../failure/failure.ts'
import type { Clock } from '../store/clock.ts'
import { refusal } from './machine-answer.ts'
import { audiencesOf, type Workload } from './workload-binding.ts'
import type { WorkloadKeys } from './workload-keys.ts'

export interface WorkloadRules {
  /** Those of the audience that the exchange names. */
  readonly workloads: readonly Workload[]
  readonly keys: WorkloadKeys
  readonly now: Clock
}

export interface CheckedWorkload {
  readonly workload: Workload
  readonly subject: string
}

/** Who signed a workload's token, and for whom. RFC 8693, section 2.2.2, has one error for a bad one. */
export async function checkWorkloadToken(token: string, rules: WorkloadRules): Promise<CheckedWorkload> {
  const issuer = readIssuer(token)
  const workload = rules.workloads.find((candidate) => candidate.issuer === issuer)
  if (workload === undefined) {
    throw refusal('invalid_request', 'the issuer of the subject_token is not the one of this audience')
  }
  const subject = await verifiedSubject(token, workload, rules)
  if (subject !== undefined && subject !== '') return { workload, subject }
  throw refusal('invalid_request', 'the subject_token is refused: sub must be a text')
}

const algorithms = ['RS256', 'ES256', 'PS256', 'EdDSA']
const skewSeconds = 60
const oldestSeconds = 86_400

function readIssuer(token: string): unknown {
  try {
    const { alg, kid } = decodeProtectedHeader(token)
    if (alg === undefined || !algorithms.includes(alg)) {
      throw refusal('invalid_request', `the subject_token must be signed with ${algorithms.join(', ')}`)
    }
    if (typeof kid === 'string' && kid !== '') return decodeJwt(token).iss
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw refusal('invalid_request', 'the subject_token is not a signed JWT', cause)
  }
  throw refusal('invalid_request', 'the subject_token must name its key in kid')
}

async function verifiedSubject(
  token: string,
  workload: Workload,
  { keys, now }: WorkloadRules,
): Promise<string | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys.of(workload), {
      algorithms,
      issuer: workload.issuer,
      audience: [...audiencesOf(workload)],
      requiredClaims: ['exp', 'iat', 'sub'],
      maxTokenAge: oldestSeconds,
      clockTolerance: skewSeconds,
      currentDate: new Date(now() / 1000),
    })
    return typeof payload.sub === 'string' ? payload.sub : undefined
  } catch (cause) {
    throw cause instanceof Failure ? cause : badToken(cause)
  }
}

function badToken(cause: unknown): Error {
  const isClaim = cause instanceof errors.JWTClaimValidationFailed || cause instanceof errors.JWTExpired
  const hint = isClaim ? (claimHints.get(cause.claim) ?? `${cause.claim} is not right`) : notSigned
  return refusal('invalid_request', `the subject_token is refused: ${hint}`, cause)
}

const notSigned = 'it is not signed with a key of its issuer'

const claimHints: ReadonlyMap<string, string> = new Map([
  ['aud', 'its aud must be the audience that the exchange names'],
  ['exp', 'its exp must be there and not have passed'],
  ['iat', 'its iat must be there, not in the future, and at most a day ago'],
  ['nbf', 'its nbf has not come yet'],
  ['sub', 'it has no sub'],
])
