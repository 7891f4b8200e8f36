import { Failure } from '../failure/failure.ts'
import { type Call, hasFlag, textOption } from './command.ts'
import { type Answers, type Question, questions } from './init-questions.ts'
import type { LineInput } from './line-input.ts'

/** Every question that applies, answered by its option, by the person, or by what is usual. */
export async function collectAnswers(call: Call): Promise<Answers> {
  const lines = hasFlag(call, 'yes') ? undefined : call.io.openLines()
  if (lines !== undefined && !lines.isTyped)
    throw new Failure('invalid-request', 'there is no terminal to ask on: take the usual answers with --yes')
  try {
    return await answersTo(call, lines)
  } finally {
    lines?.close()
  }
}

async function answersTo(call: Call, lines: LineInput | undefined): Promise<Answers> {
  const answers: Record<string, string> = {}
  for (const question of questions) {
    const { name } = question
    const given = textOption(call, name)
    if (!isApplicable(question, answers)) {
      if (given !== undefined) throw notWith(question)
      continue
    }
    answers[name] = await answer(question, { answers, given, lines, io: call.io })
  }
  return answers
}

interface Situation {
  readonly answers: Answers
  readonly given: string | undefined
  readonly lines: LineInput | undefined
  readonly io: Call['io']
}

async function answer(question: Question, { answers, given, lines, io }: Situation): Promise<string> {
  const { name, complaint } = question
  const usual = question.usual(answers)
  if (given !== undefined) {
    const wrong = complaint(given)
    if (wrong === undefined) return given
    throw new Failure('invalid-request', `--${name} ${wrong}`)
  }
  if (lines !== undefined && question.isQuiet?.(answers) !== true) return ask(question, usual, { lines, io })
  if (usual !== undefined) return usual
  throw new Failure('invalid-request', `nothing is usual here, so it has to be said: --${name}`)
}

/** Until the answer is a good one; an empty one is the usual one. */
async function ask(
  { text, complaint }: Question,
  usual: string | undefined,
  { lines, io }: { readonly lines: LineInput; readonly io: Call['io'] },
): Promise<string> {
  for (;;) {
    const typed = await lines.next(usual === undefined ? `${text} ` : `${text} [${usual}] `)
    if (typed.kind !== 'line') throw new Failure('conflict', 'stopped; nothing was written')
    const given = typed.text.trim() === '' ? (usual ?? '') : typed.text.trim()
    const wrong = given === '' ? 'must not be empty' : complaint(given)
    if (wrong === undefined) return given
    io.err(`The answer ${wrong}.\n`)
  }
}

function isApplicable({ goesWith }: Question, answers: Answers): boolean {
  return goesWith === undefined || goesWith.answers.includes(answers[goesWith.name] ?? '')
}

function notWith({ name, goesWith }: Question): Failure {
  return new Failure(
    'invalid-request',
    `--${name} goes only with --${goesWith?.name} ${goesWith?.answers.join(' or ')}`,
  )
}
