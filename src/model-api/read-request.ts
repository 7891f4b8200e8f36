import type { GenerateRequest } from '../engines/content.ts'
import type { EmbedInput } from '../engines/engine.ts'
import type { Kind } from './json-kinds.ts'
import { startReading, unknownName } from './json-reading.ts'
import { Complaints, checkContent, checkGenerate } from './request-checks.ts'
import {
  batchEmbedMessage,
  countMessage,
  type EmbedMessage,
  embedMessage,
  type GenerateMessage,
  generateMessage,
  predictMessage,
} from './request-messages.ts'
import { badFields, invalidArgument } from './wire-failure.ts'

/** `model` is the model that the path names, with or without its collection; a body that names another is refused. */
export function readGenerateRequest(json: unknown, model: string): GenerateRequest {
  return generateRequest(readMessage(generateMessage, json), model, 'GenerateContentRequest')
}

/** Either form: the contents alone, or the whole request that would be sent. */
export function readCountRequest(json: unknown, model: string): GenerateRequest {
  const { generateContentRequest: whole, ...spread } = readMessage(countMessage, json)
  if (whole === undefined) return generateRequest(spread, model, 'CountTokensRequest')
  const complaints = new Complaints()
  if (spread.contents !== undefined && spread.contents.length > 0)
    complaints.add('CountTokensRequest.contents', 'give contents or generate_content_request, not both.')
  checkModel(spread.model, model, { at: 'CountTokensRequest', complaints })
  complaints.throwAny()
  return generateRequest(whole, model, 'CountTokensRequest.generate_content_request')
}

export function readEmbedRequest(json: unknown, model: string): EmbedInput {
  const complaints = new Complaints()
  const input = embedInput(readMessage(embedMessage, json), model, { at: 'EmbedContentRequest', complaints })
  complaints.throwAny()
  return input
}

export function readBatchEmbedRequest(json: unknown, model: string): readonly EmbedInput[] {
  const { requests = [], model: named } = readMessage(batchEmbedMessage, json)
  const at = 'BatchEmbedContentsRequest'
  const complaints = new Complaints()
  checkModel(named, model, { at, complaints })
  if (requests.length === 0) complaints.add(`${at}.requests`, 'requests is not specified')
  refuseMore(requests, mostRequests, `${at}.requests`)
  const inputs = requests.map((request, index) =>
    embedInput(request, model, { at: `${at}.requests[${index}]`, complaints }),
  )
  complaints.throwAny()
  return inputs
}

/** As many as the API itself takes, in either form: each is a run of the model. */
const mostRequests = 100
const mostInstances = 250

function refuseMore({ length }: readonly unknown[], most: number, field: string): void {
  if (length > most)
    throw invalidArgument(
      `* ${field}: at most ${most} can be in one request, and there are ${length}\n`,
      field,
    )
}

/** The instances of Vertex AI's `predict`, each a text to embed. */
export function readPredictRequest(json: unknown): readonly EmbedInput[] {
  const { instances = [], parameters = {} } = readMessage(predictMessage, json)
  const complaints = new Complaints()
  if (instances.length === 0) complaints.add('PredictRequest.instances', 'instances is not specified')
  refuseMore(instances, mostInstances, 'PredictRequest.instances')
  const inputs = instances.map(({ content, taskType, title }, index) => {
    const message = {
      ...(content === undefined ? {} : { content: { parts: [{ text: content }] } }),
      ...(taskType === undefined ? {} : { taskType }),
      ...(title === undefined ? {} : { title }),
      ...parameters,
    }
    return embedInput(message, '', { at: `PredictRequest.instances[${index}]`, complaints })
  })
  complaints.throwAny()
  return inputs
}

/** An empty body is an empty message. */
export function readMessage<T>(kind: Kind<T>, json: unknown): T {
  const reading = startReading()
  const isRoot = json === undefined || (typeof json === 'object' && json !== null && !Array.isArray(json))
  if (!isRoot) unknownName(reading, '', 'Root element must be a message.')
  const found = isRoot ? kind.read(json ?? {}, reading) : undefined
  if (found === undefined || reading.violations.length > 0) throw badFields(reading.violations)
  return found
}

function generateRequest(
  { model: named, ...rest }: GenerateMessage,
  model: string,
  at: string,
): GenerateRequest {
  if (named !== undefined) {
    const complaints = new Complaints()
    checkModel(named, model, { at, complaints })
    complaints.throwAny()
  }
  return { ...rest, contents: checkGenerate(rest, at) }
}

interface Place {
  readonly at: string
  readonly complaints: Complaints
}

function embedInput(request: EmbedMessage, model: string, { at, complaints }: Place): EmbedInput {
  const { content = {}, model: named, embedContentConfig, ...own } = request
  checkModel(named, model, { at, complaints })
  checkContent(content, `${at}.content`, complaints)
  const { taskType, title, outputDimensionality, ...unserved } = { ...own, ...embedContentConfig }
  if (outputDimensionality !== undefined && outputDimensionality < 1)
    complaints.add(`${at}.output_dimensionality`, 'output_dimensionality must be positive.')
  if (unserved.autoTruncate === false)
    complaints.add(`${at}.auto_truncate`, 'auto_truncate cannot be switched off here.')
  if (unserved.documentOcr === true || unserved.audioTrackExtraction === true)
    complaints.add(at, 'document_ocr and audio_track_extraction are not supported here.')
  return {
    content,
    ...(taskType === undefined || taskType === 'TASK_TYPE_UNSPECIFIED' ? {} : { taskType }),
    ...(title === undefined ? {} : { title }),
    ...(outputDimensionality === undefined ? {} : { outputDimensionality }),
  }
}

/** The path has the last word on who answers, so the body must not contradict it. */
function checkModel(named: string | undefined, model: string, { at, complaints }: Place): void {
  if (named === undefined || named === '' || lastName(named) === lastName(model)) return
  complaints.add(`${at}.model`, `model must be the model of the path, models/${lastName(model)}.`)
}

function lastName(resource: string): string {
  return resource.slice(resource.lastIndexOf('/') + 1)
}
