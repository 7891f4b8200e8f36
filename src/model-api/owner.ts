import type { FastifyRequest } from 'fastify'
import type { Caller } from '../auth/caller.ts'
import { Failure } from '../failure/failure.ts'

/** Whose the things are that a caller stores: one text for issuer and subject. */
export function ownerOf({ principal: { issuer, subject } }: Caller): string {
  return JSON.stringify([issuer, subject])
}

/** Issuer and subject of an owner. */
export function namesOf(owner: string): readonly [issuer: string, subject: string] {
  const [issuer, subject]: unknown[] = JSON.parse(owner)
  if (typeof issuer === 'string' && typeof subject === 'string') return [issuer, subject]
  throw new Failure('internal', 'a stored owner cannot be read')
}

export function callerOf({ modelCall }: Pick<FastifyRequest, 'modelCall'>): Caller {
  if (modelCall?.caller !== undefined) return modelCall.caller
  throw new Failure('internal', 'a request came past the gate')
}
