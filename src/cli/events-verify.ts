import type { Verdict } from '../audit/verify-chain.ts'
import { Failure } from '../failure/failure.ts'
import {
  type Call,
  type Command,
  configOption,
  hasFlag,
  jsonOption,
  printJson,
  textOption,
} from './command.ts'

export const eventsVerify: Command = {
  name: 'events verify',
  group: 'Records',
  summary: 'check that no event of the record was changed, removed or put in',
  options: {
    config: configOption,
    expect: {
      type: 'string',
      placeholder: 'SEQ:HASH',
      description: 'An event that must be in the record, as an earlier check has shown it.',
    },
    json: jsonOption,
  },
  details: `Each event carries a hash of all before it. Whoever can write to the store could make a whole record anew: note
the last event elsewhere, and expect it the next time. The exit code is 1 when something is wrong.`,
  example:
    'postern events verify --expect 1204:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  run: async (call) => {
    const expect = expectation(textOption(call, 'expect'))
    const { withStore } = await import('./with-store.ts')
    const { verifyChain } = await import('../audit/verify-chain.ts')
    const verdict = await withStore(call, ({ store }) => verifyChain(store, { expect }))
    if (hasFlag(call, 'json')) printJson(call, verdict)
    else say(call, verdict)
    return verdict.ok ? 0 : 1
  },
}

function expectation(text: string | undefined): { readonly seq: number; readonly hash: string } | undefined {
  if (text === undefined) return undefined
  const [, digits, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (digits === undefined || hash === undefined)
    throw new Failure('invalid-request', '--expect must be the number and the hash of an event: SEQ:HASH')
  return { seq: Number(digits), hash }
}

function say({ io }: Call, verdict: Verdict): void {
  if (!verdict.ok) {
    io.err(`The record is not whole: at event ${verdict.at}, ${verdict.what}.\n`)
    return
  }
  const { seq, hash } = verdict.head
  const last = seq === 0 ? '' : `\nThe last is ${seq}:${hash}\n`
  io.out(`The record is whole: ${verdict.events} events.\n${last}`)
}
