import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WWWAuthenticateChallengeError } from 'oauth4webapi'
import { Failure } from '../failure/failure.ts'
import { upstreamRefusal } from './upstream-refusal.ts'

test('a challenge tells its status, and its error where it is a word of the standards', () => {
  const told = (error: string): object => {
    const response = new Response(null, { status: 401 })
    const cause = [{ scheme: 'bearer' as const, parameters: { error } }]
    const challenge = new WWWAuthenticateChallengeError('challenged', { cause, response })
    return upstreamRefusal(new Failure('forbidden', 'not believed', { cause: challenge }))
  }
  assert.deepEqual(told('invalid_client'), { error: 'invalid_client', status: 401 })
  assert.deepEqual(told('Token "s3cret" is bad'), { status: 401 })
})
