import type { AnswerPiece, Candidate, Part } from '../engines/content.ts'

/** Puts the pieces of an answer together, in the order in which they came. */
export interface Merge {
  readonly add: (piece: AnswerPiece) => void
  readonly whole: () => AnswerPiece
}

/** Text that was cut in two is one text again; thoughts stay apart from what is said aloud. */
export function createMerge(): Merge {
  const candidates = new Map<number, Candidate>()
  const texts = new Map<number, Part[]>()
  let rest: Omit<AnswerPiece, 'candidates'> = {}

  function addCandidate({ content, ...said }: Candidate): void {
    candidates.set(said.index, { ...candidates.get(said.index), ...said })
    const parts = texts.get(said.index) ?? []
    texts.set(said.index, parts)
    for (const part of content?.parts ?? []) append(parts, part)
  }

  return {
    add: ({ candidates: said, ...more }) => {
      for (const candidate of said) addCandidate(candidate)
      rest = { ...rest, ...more }
    },
    whole: () => ({
      candidates: [...candidates.values()]
        .sort((one, other) => one.index - other.index)
        .map(({ index, ...said }) => ({
          content: { parts: texts.get(index) ?? [], role: 'model' },
          ...said,
          index,
        })),
      ...rest,
    }),
  }
}

function append(parts: Part[], part: Part): void {
  const last = parts.at(-1)
  if (last !== undefined && isPlainText(last) && isPlainText(part) && canJoin(last, part))
    parts[parts.length - 1] = { ...last, ...part, text: `${last.text ?? ''}${part.text ?? ''}` }
  else parts.push(part)
}

/** A signature stands for the text before it and ends it. */
function canJoin(last: Part, part: Part): boolean {
  return last.thoughtSignature === undefined && (last.thought ?? false) === (part.thought ?? false)
}

function isPlainText(part: Part): boolean {
  return part.text !== undefined && Object.keys(part).every((name) => textFields.has(name))
}

const textFields: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])
