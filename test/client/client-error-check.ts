import assert from 'node:assert/strict'
import { ClientError } from '../../src/client/client-error.ts'

/** For `assert.throws` and `assert.rejects`; the position is compared where one is given. */
export function isClientError(code: string, position?: string | null): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ClientError, String(error))
    assert.deepEqual([error.code, error.position], [code, position === undefined ? error.position : position])
    return true
  }
}
