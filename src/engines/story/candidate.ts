import type { FinishReason } from '../content.ts'
import { writeForm } from './form.ts'
import type { Form, Writing } from './messages.ts'
import type { StoryModel } from './model.ts'
import { createRandom } from './random.ts'
import type { Demand } from './script.ts'
import type { Cache } from './transformer.ts'
import { createWrittenText } from './written-text.ts'

export interface Candidate {
  /** Reads at most one token, then answers what can be shown and whether it has ended. */
  readonly step: () => Progress
  readonly tokensWritten: () => number
}

export interface Progress {
  readonly text: string
  readonly finishReason?: FinishReason
}

export interface CandidateStart {
  readonly writing: Writing
  readonly index: number
  readonly cache: Cache
  /** Tokens to read before the first one can be written. */
  readonly unread: readonly number[]
  /** Where in the context the first of them stands. */
  readonly place: number
  readonly room: number
}

export function createCandidate(model: StoryModel, start: CandidateStart): Candidate {
  const { writing, cache } = start
  const { rules } = writing
  const random = createRandom(writing.seed, start.index)
  const text = createWrittenText(stopsOf(writing.form, writing.stopSequences))
  const written = new Map<number, number>()
  const unread = [...start.unread]
  let place = start.place
  let left = Math.min(writing.maxOutputTokens, start.room)
  const { encodeMore } = model.tokenizer
  const script = writeForm(writing.form, { roles: model.roles, encode: encodeMore, left: () => left })
  let demand = script.next(0)
  let count = 0
  let shown = ''

  /** Answers why it ended, if it did. */
  function put(tokens: readonly number[]): FinishReason | undefined {
    for (const token of tokens) {
      if (left === 0) return 'MAX_TOKENS'
      left -= 1
      count += 1
      written.set(token, (written.get(token) ?? 0) + 1)
      unread.push(token)
      shown += text.write(model.vocabulary.bytes[token] ?? new Uint8Array(0))
      if (text.isStopped()) return 'STOP'
    }
    return undefined
  }

  function read(): void {
    const token = unread.shift()
    if (token === undefined) return
    model.transformer.read(cache, token, place)
    place += 1
  }

  function pick({ isAllowed }: Extract<Demand, { kind: 'pick' }>): number {
    return model.sampler(model.transformer.rate(), { rules, random, written, isAllowed })
  }

  function advance(): FinishReason | undefined {
    for (let reads = 0; ; ) {
      if (demand.done === true) return 'STOP'
      if (demand.value.kind === 'put') {
        const end = put(demand.value.tokens)
        if (end !== undefined) return end
        demand = script.next(0)
        continue
      }
      if (left === 0) return 'MAX_TOKENS'
      if (reads > 0) return undefined
      read()
      reads += 1
      if (unread.length > 0) return undefined
      demand = script.next(pick(demand.value))
    }
  }

  return {
    tokensWritten: () => count,
    step: () => {
      const finishReason = advance()
      const ready = finishReason === undefined ? shown : shown + text.end()
      shown = ''
      return finishReason === undefined ? { text: ready } : { text: ready, finishReason }
    },
  }
}

/** The arguments of a call are no text that a stop sequence could end. */
function stopsOf(form: Form, stopSequences: readonly string[]): readonly string[] {
  return form.kind === 'call' ? [] : stopSequences
}
