import type { Content, GenerateRequest, GenerationConfig, Part } from '../engines/content.ts'
import { partDataNames } from './request-content.ts'
import { invalidArgument } from './wire-failure.ts'

/** What a request that reads well must also say; `at` is the name of its message, with which every complaint begins. */
export function checkGenerate(request: Partial<GenerateRequest>, at: string): readonly Content[] {
  const complaints = new Complaints()
  const contents = request.contents ?? []
  if (contents.length === 0) complaints.add(`${at}.contents`, 'contents is not specified')
  for (const [index, content] of contents.entries())
    checkContent(content, `${at}.contents[${index}]`, complaints)
  if (request.systemInstruction !== undefined)
    checkParts(request.systemInstruction.parts ?? [], `${at}.system_instruction.parts`, complaints)
  if (request.generationConfig !== undefined)
    checkConfig(request.generationConfig, `${at}.generation_config`, complaints)
  complaints.throwAny()
  checkRoles(contents, at)
  return contents
}

/** Collects, so that one answer tells all; nothing is built while all is well. */
export class Complaints {
  private lines = ''
  private count = 0
  private field: string | undefined

  add(field: string, complaint: string): void {
    this.count += 1
    if (this.count > mostComplaints) return
    this.field ??= field
    this.lines += `* ${field}: ${complaint}\n`
  }

  throwAny(): void {
    if (this.lines !== '') throw invalidArgument(this.lines, this.field)
  }
}

/** One answer need not list the mistakes of a body that is wrong everywhere. */
const mostComplaints = 100

export function checkContent(content: Content, at: string, complaints: Complaints): void {
  const parts = content.parts ?? []
  if (parts.length === 0) complaints.add(`${at}.parts`, 'contents.parts must not be empty.')
  checkParts(parts, `${at}.parts`, complaints)
}

function checkParts(parts: readonly Part[], at: string, complaints: Complaints): void {
  for (const [index, part] of parts.entries())
    if (part.text === undefined && !hasData(part))
      complaints.add(`${at}[${index}].data`, "required oneof field 'data' must have one initialized field")
}

function hasData(part: Part): boolean {
  return partDataNames.some((name) => name in part)
}

/** `function` is how older clients sign the results of functions. */
const roles: ReadonlySet<string> = new Set(['', 'user', 'model', 'function'])

function checkRoles(contents: readonly Content[], at: string): void {
  const index = contents.findIndex(({ role }) => role !== undefined && !roles.has(role))
  if (index !== -1)
    throw invalidArgument('Please use a valid role: user, model.', `${at}.contents[${index}].role`)
}

interface Bounds {
  readonly field: keyof GenerationConfig & Numbers
  readonly wire: string
  readonly least: number
  readonly most: number
  readonly rule: string
}

type Numbers =
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'candidateCount'
  | 'maxOutputTokens'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'logprobs'

const bounds: readonly Bounds[] = [
  range('temperature', 'temperature', [0, 2, 'in the range [0.0, 2.0]']),
  range('topP', 'top_p', [0, 1, 'in the range [0.0, 1.0]']),
  range('topK', 'top_k', [0, Infinity, 'non-negative']),
  range('candidateCount', 'candidate_count', [1, 8, 'in the range [1, 8]']),
  range('maxOutputTokens', 'max_output_tokens', [1, Infinity, 'positive']),
  range('presencePenalty', 'presence_penalty', [-2, 2, 'in the range [-2.0, 2.0]']),
  range('frequencyPenalty', 'frequency_penalty', [-2, 2, 'in the range [-2.0, 2.0]']),
  range('logprobs', 'logprobs', [0, 20, 'in the range [0, 20]']),
]

function range(field: Numbers, wire: string, [least, most, rule]: readonly [number, number, string]): Bounds {
  return { field, wire, least, most, rule: `${wire} must be ${rule}.` }
}

const mostStopSequences = 5

const mimeTypes: ReadonlySet<string> = new Set([
  '',
  'text/plain',
  'application/json',
  'application/xml',
  'application/yaml',
  'text/x.enum',
])

function checkConfig(config: GenerationConfig, at: string, complaints: Complaints): void {
  for (const { field, wire, least, most, rule } of bounds) {
    const value = config[field]
    if (value !== undefined && (value < least || value > most)) complaints.add(`${at}.${wire}`, rule)
  }
  if ((config.stopSequences?.length ?? 0) > mostStopSequences)
    complaints.add(
      `${at}.stop_sequences`,
      `stop_sequences must not have more than ${mostStopSequences} items.`,
    )
  if (!mimeTypes.has(config.responseMimeType ?? ''))
    complaints.add(
      `${at}.response_mime_type`,
      'allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and `text/x.enum`.',
    )
}
