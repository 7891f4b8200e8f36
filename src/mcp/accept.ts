import { Failure } from '../failure/failure.ts'

/** In which forms a caller can read an answer. */
export interface AnswerForms {
  readonly json: boolean
  /** Only when it says so: `*` alone gets a plain body. */
  readonly stream: boolean
}

/** Reads Accept. Almost every request of a client has the same one, so the last is remembered. */
export function createAcceptReader(): (accept: string | undefined) => AnswerForms {
  let last: string | undefined
  let forms: AnswerForms = anything
  return (accept) => {
    if (accept === undefined) return anything
    if (accept !== last) {
      forms = formsIn(accept)
      last = accept
    }
    if (forms.json || forms.stream) return forms
    throw new Failure('invalid-request', 'Accept must list application/json and text/event-stream', {
      reason: 'not_acceptable',
    })
  }
}

const anything: AnswerForms = { json: true, stream: false }

function formsIn(accept: string): AnswerForms {
  const types = accept
    .split(',')
    .filter((entry) => !refusedQuality.test(entry))
    .map((entry) => (entry.split(';')[0] ?? '').trim().toLowerCase())
  return {
    json: types.some((type) => type === 'application/json' || type === 'application/*' || type === '*/*'),
    stream: types.includes('text/event-stream'),
  }
}

const refusedQuality = /;\s*q=0(?:\.0*)?\s*(?:;|$)/i
