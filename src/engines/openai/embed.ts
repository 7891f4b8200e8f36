import { Failure } from '../../failure/failure.ts'
import type { Embedding, EmbedInput, EngineCall } from '../engine.ts'
import type { IgnorableField } from './options.ts'
import { refuseOthers, untranslatable } from './untranslatable.ts'
import type { Upstream } from './upstream.ts'
import { countAt, type JsonObject, objectAt, objectsAt } from './values.ts'

export interface EmbeddingTarget {
  readonly upstream: Upstream
  readonly model: string
  readonly ignored: readonly IgnorableField[]
}

/** One call for all inputs; the answers come back in the order of the inputs. */
export async function embedTexts(
  inputs: readonly EmbedInput[],
  call: EngineCall,
  { upstream, model, ignored }: EmbeddingTarget,
): Promise<readonly Embedding[]> {
  if (inputs.length === 0) return []
  const texts = inputs.map((input, index) => textOf(input, `requests[${index}]`, ignored))
  const dimensions = oneDimension(inputs)
  const body = {
    model,
    input: texts,
    encoding_format: 'float',
    ...(dimensions !== undefined && { dimensions }),
  }
  const answer = await upstream.ask({ path: '/embeddings', body, call })
  const vectors = vectorsOf(answer, texts.length)
  const tokens = countAt(objectAt(answer, 'usage') ?? {}, 'prompt_tokens') ?? 0
  const shares = sharesOf(tokens, texts)
  return vectors.map((values, index) => ({ values, tokenCount: shares[index] ?? 0 }))
}

function textOf(input: EmbedInput, path: string, ignored: readonly IgnorableField[]): string {
  const { content, taskType = unspecified, title, ...rest } = input
  refuseOthers(rest, path, ['outputDimensionality'])
  if (!ignored.includes('taskType')) {
    const why = 'embeddings cannot be made for a task here; leave it out'
    if (taskType !== unspecified) throw untranslatable(`${path}.taskType`, why)
    if (title !== undefined && title !== '') throw untranslatable(`${path}.title`, why)
  }
  const parts = content.parts ?? []
  for (const [index, part] of parts.entries()) refuseOthers(part, `${path}.content.parts[${index}]`, ['text'])
  const text = parts.map((part) => part.text ?? '').join('')
  if (text === '') throw untranslatable(`${path}.content`, 'must have a text')
  return text
}

const unspecified = 'TASK_TYPE_UNSPECIFIED'

function oneDimension(inputs: readonly EmbedInput[]): number | undefined {
  const first = inputs[0]?.outputDimensionality
  const other = inputs.findIndex(({ outputDimensionality }) => outputDimensionality !== first)
  if (other === -1) return first
  throw untranslatable(
    `requests[${other}].outputDimensionality`,
    'must be the same in all requests of one batch',
  )
}

function vectorsOf(answer: JsonObject, expected: number): readonly (readonly number[])[] {
  const vectors: (readonly number[] | undefined)[] = Array.from({ length: expected })
  objectsAt(answer, 'data').forEach((item, position) => {
    const { embedding } = item
    const index = countAt(item, 'index') ?? position
    if (index < expected && isVector(embedding)) vectors[index] = embedding
  })
  const found = vectors.filter((vector) => vector !== undefined)
  if (found.length === expected) return found
  throw new Failure('unavailable', `the upstream sent ${found.length} embeddings for ${expected} inputs`, {
    reason: 'upstream_garbage',
  })
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'number')
}

/** The upstream counts the whole batch; its count is shared out by length, so that the sum stays true. */
function sharesOf(total: number, texts: readonly string[]): readonly number[] {
  const lengths = texts.map(({ length }) => length)
  const whole = lengths.reduce((sum, length) => sum + length, 0)
  let seen = 0
  let given = 0
  return lengths.map((length) => {
    seen += length
    const share = Math.round((total * seen) / whole) - given
    given += share
    return share
  })
}
