import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { describeError } from './describe-error.ts'

test('what a server put into an error does not reach the terminal as a command', () => {
  const message = 'did you mean \u001b]0;title\u0007?'
  for (const error of [new Failure('not-found', message), new Error(message), message])
    assert.match(describeError(error), /did you mean \u{fffd}\]0;title\u{fffd}\?\n$/u)
})
