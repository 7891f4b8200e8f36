import { Failure } from '../../failure/failure.ts'
import type { Content, GenerateRequest, GenerationConfig, Part, Tool } from '../content.ts'

/** Refuses by name what the embedded model cannot do; nothing that was asked for is passed over. */
export function refuseUnknownAbilities(request: GenerateRequest, model: string): void {
  const [first] = wishesOf(request)
  if (first === undefined) return
  const field = `GenerateContentRequest.${first.field}`
  throw new Failure('invalid-request', `${field}: the model "${model}" ${first.answer}`, { field })
}

interface Wish {
  readonly field: string
  readonly answer: string
}

function wishesOf(request: GenerateRequest): readonly Wish[] {
  const { contents, systemInstruction, tools = [], toolConfig = {}, generationConfig = {} } = request
  return [
    ...(contents.length === 0 ? [{ field: 'contents', answer: 'needs contents to go on from' }] : []),
    ...wishesIn(request, { cachedContent: 'keeps no cached contents' }, ''),
    ...(systemInstruction === undefined ? [] : partWishes(systemInstruction, 'systemInstruction')),
    ...contents.flatMap((content, at) => partWishes(content, `contents[${at}]`)),
    ...tools.flatMap((tool, at) => wishesIn(tool, toolAnswers, `tools[${at}].`)),
    ...wishesIn(toolConfig, { retrievalConfig: 'cannot search' }, 'toolConfig.'),
    ...wishesIn(generationConfig, configAnswers, 'generationConfig.'),
  ]
}

type Answers<Subject> = { readonly [Name in keyof Subject]?: string }

const partAnswers: Answers<Part> = {
  inlineData: 'reads text only',
  fileData: 'reads text only',
  videoMetadata: 'reads text only',
  executableCode: 'runs no code',
  codeExecutionResult: 'runs no code',
}

const toolAnswers: Answers<Tool> = {
  googleSearch: 'cannot search the web',
  googleSearchRetrieval: 'cannot search the web',
  codeExecution: 'runs no code',
  urlContext: 'cannot open addresses',
  fileSearch: 'cannot search files',
  computerUse: 'cannot use a computer',
  googleMaps: 'has no maps',
}

const configAnswers: Answers<GenerationConfig> = {
  responseModalities: 'answers in text only',
  speechConfig: 'does not speak',
  imageConfig: 'makes no images',
  responseLogprobs: 'does not tell probabilities',
  logprobs: 'does not tell probabilities',
  enableEnhancedCivicAnswers: 'knows nothing of elections',
}

function partWishes({ parts = [] }: Content, path: string): readonly Wish[] {
  return parts.flatMap((part, at) => wishesIn(part, partAnswers, `${path}.parts[${at}].`))
}

function wishesIn(subject: object, answers: Readonly<Record<string, string>>, path: string): readonly Wish[] {
  return Object.entries(subject).flatMap(([name, value]) => {
    const answer = Object.hasOwn(answers, name) ? answers[name] : undefined
    return answer === undefined || !isAsked(value) ? [] : [{ field: `${path}${name}`, answer }]
  })
}

/** `false`, and a list that holds nothing but text, ask for nothing special. */
function isAsked(value: unknown): boolean {
  if (Array.isArray(value))
    return value.some((item) => typeof item !== 'string' || item.toUpperCase() !== 'TEXT')
  return value !== undefined && value !== false
}
