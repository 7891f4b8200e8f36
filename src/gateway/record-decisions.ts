import type { Recorder } from '../audit/recorder.ts'
import type { EventIds } from '../audit/recorder-ids.ts'
import type { Decision, DecisionHook } from '../auth/decision.ts'
import type { Principal } from '../auth/principal.ts'
import { redactShapes } from '../log/redact-shapes.ts'

/** Writes each decision as one line of JSON, `AuditRecord` says of what shape. */
export function recordDecisions(recorder: Pick<Recorder, 'record'>, newId: EventIds): DecisionHook {
  const callers = new WeakMap<Principal, string>()
  const lists = new WeakMap<readonly string[], string>()

  function callerOf({ principal, held }: Decision): string {
    if (principal === undefined) return 'null'
    const known = callers.get(principal)
    if (known !== undefined) return known
    const text = JSON.stringify(describeCaller(principal, held))
    callers.set(principal, text)
    return text
  }

  function listOf(texts: readonly string[]): string {
    if (texts.length === 0) return '[]'
    const known = lists.get(texts)
    if (known !== undefined) return known
    const text = JSON.stringify(texts)
    lists.set(texts, text)
    return text
  }

  // A template: 0.9 µs, where JSON.stringify of the same object takes 2.4 µs.
  return (decision) => {
    const { time, target, tokensIn, tokensOut, requestId } = decision
    // What is allowed has names that we know.
    const word = decision.outcome === 'deny' ? unsecret : quoted
    const named = target === undefined ? 'null' : word(target)
    const tokens = tokensIn === undefined && tokensOut === undefined ? '' : tokensOf(tokensIn, tokensOut)
    const asked = requestId.length > ownRequestId ? unsecret(requestId) : quoted(requestId)
    return recorder.record(
      `{"id":"${newId(time)}","time":${time},"surface":"${decision.surface}","action":${word(decision.action)},"target":${named},"decision":"${decision.outcome}","reason":${quoted(decision.reason)},"status":${decision.status},"durationUs":${Math.max(0, Math.round(decision.durationMs * 1000))},"needed":${listOf(decision.needed)},"requestId":${asked},"revision":${word(decision.revision)}${tokens},"by":${callerOf(decision)}}`,
    )
  }
}

function describeCaller(principal: Principal, held: readonly string[]): object {
  const { issuer, subject, name, clientId, credential, expiresAt } = principal
  return {
    principal: subject,
    ...(name === undefined ? {} : { name }),
    issuer,
    client: clientId ?? null,
    credential: { kind: credential.kind, id: credential.id },
    expires: Number.isSafeInteger(Math.ceil(expiresAt)) ? Math.ceil(expiresAt) : null,
    held,
  }
}

function tokensOf(tokensIn: number | undefined, tokensOut: number | undefined): string {
  const read = tokensIn === undefined ? '' : `,"tokensIn":${countOf(tokensIn)}`
  return tokensOut === undefined ? read : `${read},"tokensOut":${countOf(tokensOut)}`
}

/** Engines and tools may say anything; a number that is no count would make the whole record unreadable. */
function countOf(tokens: number): number {
  return tokens > 0 ? Math.min(Math.ceil(tokens), Number.MAX_SAFE_INTEGER) : 0
}

/** What a caller made up may be a key in the wrong place, such as `generateContent&key=…`. */
function unsecret(text: string): string {
  return text.length < shortestSecret ? quoted(text) : redactShapes(quoted(text))
}

/** In characters. */
const shortestSecret = 16
const ownRequestId = 36

/** Most texts need no escape; to look costs a third of what JSON.stringify does. */
function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

const plain = /^[ !#-[\]-~]*$/
