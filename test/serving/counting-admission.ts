import type { Admission, CallTarget } from '../../src/auth/admission.ts'
import { Failure } from '../../src/failure/failure.ts'

/** An admission that writes down what it was asked, and refuses as told; a `late` one answers with promises. */
export interface CountingAdmission extends Admission {
  /** Who asked, and for what. */
  readonly asked: string[]
}

export interface Refusals {
  readonly refuses?: 'request' | 'target'
  readonly isLate?: boolean
}

export const quotaMessage = 'more than 2 requests a minute; come back in 12 seconds'

export function countingAdmission({ refuses, isLate = false }: Refusals = {}): CountingAdmission {
  const asked: string[] = []
  const answer = (question: 'request' | 'target', text: string): Promise<void> | undefined => {
    asked.push(`${question} ${text}`)
    const failure = new Failure('limit-exceeded', quotaMessage, { reason: 'quota', retryAfterSeconds: 11.5 })
    if (refuses !== question) return isLate ? Promise.resolve() : undefined
    if (isLate) return Promise.reject(failure)
    throw failure
  }
  return {
    asked,
    request: ({ subject }, target) => answer('request', `${subject} ${textOf(target)}`),
    target: ({ subject }, target) => answer('target', `${subject} ${textOf(target)}`),
  }
}

function textOf(target: CallTarget | undefined): string {
  return target === undefined ? '-' : `${target.kind}:${target.name}`
}
