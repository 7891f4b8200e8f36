import { type Candidate, createCandidate, type Progress } from './candidate.ts'
import { fitPrompt } from './fit-prompt.ts'
import { readCall } from './form.ts'
import { contextTokens } from './limits.ts'
import type { StoryEvent, Writing } from './messages.ts'
import type { StoryModel } from './model.ts'
import type { Task } from './schedule.ts'

type Emit = (event: StoryEvent) => void

/** One answer with all its candidates; they are written one after the other and share what the prompt left in the cache. */
export function createGeneration(model: StoryModel, writing: Writing, emit: Emit): Task {
  const prompt = fitPrompt(writing.prompt, model.tokenizer)
  const cache = model.transformer.createCache()
  const room = contextTokens - prompt.length
  const open = (index: number): Candidate => {
    const place = index === 0 ? 0 : prompt.length - 1
    return createCandidate(model, { writing, index, cache, place, unread: prompt.slice(place), room })
  }
  const report = createReport(writing, emit)
  emit({ kind: 'begun', promptTokens: prompt.length })
  let index = 0
  let candidate = open(index)
  let outputTokens = 0
  return () => {
    const progress = candidate.step()
    report(index, progress)
    if (progress.finishReason === undefined) return false
    outputTokens += candidate.tokensWritten()
    index += 1
    if (index === writing.candidateCount) {
      emit({ kind: 'done', promptTokens: prompt.length, outputTokens })
      return true
    }
    candidate = open(index)
    return false
  }
}

type Report = (candidate: number, progress: Progress) => void

/** A call is told when it is complete, text as it comes. */
function createReport({ form }: Writing, emit: Emit): Report {
  let held = ''
  return (candidate, { text, finishReason }) => {
    if (form.kind !== 'call') {
      if (finishReason !== undefined) emit({ kind: 'end', candidate, text, finishReason })
      else if (text !== '') emit({ kind: 'text', candidate, text })
      return
    }
    held += text
    if (finishReason === undefined) return
    const call = finishReason === 'STOP' ? { call: readCall(held) } : {}
    held = ''
    emit({ kind: 'end', candidate, text: '', finishReason, ...call })
  }
}
