import { ClientError } from '../client-error.ts'
import { type BearerChallenge, bearerChallenge } from '../oauth/challenge.ts'
import { repeatableCall } from '../oauth/repeatable-call.ts'
import { connectTools } from '../tools/connect-tools.ts'
import type { ToolServer } from '../tools/tool.ts'
import { bad, good, left, type Outcome } from './check.ts'
import type { Examination } from './examination.ts'
import { shown } from './probe.ts'

/** What became of a real call. */
export interface CallResult {
  readonly isAccepted: boolean
  /** Why not, where the server said so. */
  readonly refusal: Refusal | undefined
}

export interface Refusal {
  readonly status: 401 | 403
  readonly challenge: BearerChallenge | undefined
}

export interface CallQuestion {
  readonly url: URL
  readonly token: string | undefined
}

/** Lists the tools as a client does, in the newest revision that the server speaks and in an older one. */
export async function checkCalls(
  examination: Examination,
  question: CallQuestion,
): Promise<CallResult | undefined> {
  const newest = await examination.check(
    'call',
    (signal) => listTools(examination, { ...question, era: 'auto', signal }),
    shown(question.url),
  )
  if (newest?.revision === undefined || newest.revision < firstModern) return newest
  await examination.check('call, older revision', async (signal) => {
    const older = await listTools(examination, { ...question, era: 'legacy', signal })
    if (older.value?.isAccepted === true) return older
    return older.value?.refusal === undefined
      ? left(`The server speaks ${newest.revision} only`)
      : { ...older, cure: 'Make the server check tokens in the same way for all revisions of the protocol.' }
  })
  return newest
}

const firstModern = '2026-07-28'

interface Attempt extends CallQuestion {
  readonly era: 'auto' | 'legacy'
  readonly signal: AbortSignal
}

interface AttemptResult extends CallResult {
  readonly revision?: string
}

async function listTools({ fetch }: Examination, attempt: Attempt): Promise<Outcome<AttemptResult>> {
  const { url, token, era, signal } = attempt
  let refusal: Refusal | undefined
  const calling: typeof fetch = async (input, init) => {
    const call = await repeatableCall(input, init, { resource: url, callFetch: fetch })
    const response = await call.send(token)
    const { status } = response
    if (init?.method === 'POST' && (status === 401 || status === 403))
      refusal = { status, challenge: await bearerChallenge(response) }
    return response
  }
  try {
    const tools = await connectTools(url, { fetch: calling, era, signal })
    const { count, isLast } = await firstPage(tools, signal)
    const { revision } = tools.server
    const more = isLast ? '' : ', and more'
    const detail = `tools/list in revision ${revision}: ${count} ${count === 1 ? 'tool' : 'tools'}${more}`
    return good(detail, { isAccepted: true, refusal: undefined, revision })
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    const value = { isAccepted: false, refusal }
    if (refusal === undefined) return bad({ cause: error.code, detail: error.message, cure: inside }, value)
    if (token === undefined && refusal.status === 401)
      return { ...left('Without a token tools/list is answered 401', value), cause: 'no_token' }
    return bad({ cause: 'refused', detail: refusalWords(refusal, token) }, value)
  }
}

async function firstPage(
  tools: ToolServer,
  signal: AbortSignal,
): Promise<{ readonly count: number; readonly isLast: boolean }> {
  try {
    const { done, value } = await tools.list({ signal }).pages().next()
    return done === true
      ? { count: 0, isLast: true }
      : { count: value.items.length, isLast: value.next === null }
  } finally {
    await tools.close()
  }
}

const inside = 'Look into the log of the server: it lets the caller in, and then does not answer as MCP asks.'

function refusalWords({ status, challenge }: Refusal, token: string | undefined): string {
  const told = [challenge?.error, challenge?.description].filter((part) => part !== undefined).join(', ')
  const whom = token === undefined ? 'Without a token' : 'With the token'
  return `${whom} tools/list is answered ${status}${told === '' ? '' : ` (${told})`}; the checks below look for the reason`
}
