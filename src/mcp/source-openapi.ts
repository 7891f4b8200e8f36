import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Compile } from 'typebox/compile'
import { type Dispatcher, request } from 'undici'
import { Failure } from '../failure/failure.ts'
import type { Log } from '../log/log.ts'
import { guardedAgent, outboundComplaint } from '../outbound/guarded-agent.ts'
import { readAnswer } from './openapi-answer.ts'
import { readOpenApi } from './openapi-document.ts'
import { type Operation, readOperations } from './openapi-operation.ts'
import { withoutPatterns } from './openapi-pattern.ts'
import { buildRequest } from './openapi-request.ts'
import { inputComplaint, type Validator } from './schema-complaint.ts'
import { type CredentialOptions, credentialHeader } from './source-credential.ts'
import { isObject, type JsonObject } from './source-json.ts'
import { prefixedTools } from './source-names.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'
import { errorResult } from './tool-result.ts'
import type { ToolSource } from './tool-source.ts'

export interface OpenApiSourceOptions extends CredentialOptions {
  readonly name: string
  readonly spec: string
  readonly baseUrl: string
  readonly allowPrivate: boolean
}

export interface OpenApiSurroundings {
  readonly log: Log
  readonly directory: string
  readonly outputLimitBytes: number
}

/** An HTTP API: one tool for each operation of its document. */
export async function openApiSource(
  options: OpenApiSourceOptions,
  { log, directory, outputLimitBytes }: OpenApiSurroundings,
): Promise<ToolSource> {
  const { name, allowPrivate } = options
  const baseUrl = checkedBase(options)
  const credential = credentialHeader(options)
  const operations = await readSpec(options, directory, log)
  const agent = guardedAgent({ allowPrivate })
  const api: Api = { name, baseUrl, headers: credential, agent, outputLimitBytes, log }
  const { named, refused } = prefixedTools(name, operations, ({ id }) => id)
  if (refused.length > 0)
    throw misconfigured(
      name,
      `two operations, or one with an overlong name, would be named ${refused.join(', ')}`,
    )
  const tools = named.map((tool) => operationTool(api, tool.item, tool.name))
  return {
    name,
    isRemote: true,
    tools: () => tools,
    onChange: () => undefined,
    close: () => agent.destroy(),
  }
}

interface Api {
  readonly name: string
  readonly baseUrl: URL
  readonly headers: Readonly<Record<string, string>>
  readonly agent: Dispatcher
  readonly outputLimitBytes: number
  readonly log: Log
}

function checkedBase({ name, baseUrl, allowPrivate }: OpenApiSourceOptions): URL {
  const url = new URL(baseUrl)
  const complaint = outboundComplaint(url, allowPrivate)
  if (complaint !== undefined) throw misconfigured(name, `baseUrl ${complaint}`)
  if (url.search !== '') throw misconfigured(name, 'baseUrl must not have a query ("?…")')
  return url
}

async function readSpec(
  options: OpenApiSourceOptions,
  directory: string,
  log: Log,
): Promise<readonly Operation[]> {
  const { name, spec, header = 'authorization' } = options
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(spec))
    throw misconfigured(
      name,
      'spec must be a file: download the document, and look at it before its operations become tools',
    )
  try {
    const { operations, left } = readOperations(
      readOpenApi(await readFile(resolve(directory, spec), 'utf8')),
      header,
    )
    for (const { place, why } of left) log.warn({ source: name, operation: place }, `not a tool: ${why}`)
    if (operations.length === 0)
      throw new Failure('misconfigured', 'the document has no operation that can be a tool')
    return operations
  } catch (cause) {
    const why = cause instanceof Failure ? cause.message : 'the file cannot be read'
    throw misconfigured(name, `spec ${spec}: ${why}`, cause)
  }
}

function misconfigured(source: string, what: string, cause?: unknown): Failure {
  return new Failure('misconfigured', `tool source ${source}: ${what}`, { cause, field: 'tools.sources' })
}

function operationTool(api: Api, operation: Operation, name: string): Tool {
  const inputSchema = inputSchemaOf(operation)
  let validator: Validator<unknown> | undefined
  return {
    name,
    listing: listingOf(name, operation, inputSchema),
    needs: { allOf: [], anyOf: [] },
    headerParameters: [],
    requiresDpop: false,
    call: (input, context) => {
      // Most operations of a large document are never called, so each is compiled by its first call.
      validator ??= Compile(withoutPatterns(inputSchema))
      if (!validator.Check(input) || !isObject(input))
        return errorResult(inputComplaint(name, validator, input))
      return callApi(api, operation, { input, context })
    },
  }
}

function inputSchemaOf({ parameters, body }: Operation): JsonObject {
  const properties = Object.fromEntries([
    ...parameters.map(({ property, schema }) => [property, schema]),
    ...(body === undefined ? [] : [[body.property, body.schema]]),
  ])
  const required = [...parameters, ...(body === undefined ? [] : [body])]
    .filter(({ isRequired }) => isRequired)
    .map(({ property }) => property)
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
}

function listingOf(name: string, operation: Operation, inputSchema: JsonObject): Tool['listing'] {
  const { summary, description, method, literals, names } = operation
  const path = literals.map(
    (literal, index) => literal + (names[index] === undefined ? '' : `{${names[index]}}`),
  )
  return {
    name,
    ...(summary === undefined ? {} : { title: summary }),
    description: description ?? summary ?? `${method.toUpperCase()} ${path.join('')}`,
    inputSchema,
    annotations: {
      readOnlyHint: method === 'get',
      destructiveHint: method === 'delete' || method === 'put' || method === 'patch',
      idempotentHint: method !== 'post' && method !== 'patch',
      openWorldHint: true,
    },
  }
}

/** Nothing here unpacks an answer. */
const ownHeaders = {
  accept: 'application/json, */*;q=0.5',
  'accept-encoding': 'identity',
  'user-agent': 'postern',
} as const

interface Call {
  readonly input: JsonObject
  readonly context: ToolContext
}

async function callApi(api: Api, operation: Operation, { input, context }: Call): Promise<ToolResult> {
  const { name, agent, log, outputLimitBytes } = api
  try {
    const { method, url, headers, body } = buildRequest(operation, api.baseUrl, input)
    const answer = await request(url, {
      method,
      headers: { ...ownHeaders, ...headers, ...api.headers },
      ...(body === undefined ? {} : { body }),
      dispatcher: agent,
      signal: context.signal,
    })
    const contentType = String(answer.headers['content-type'] ?? '')
    return await readAnswer({ status: answer.statusCode, contentType, body: answer.body }, outputLimitBytes)
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'invalid-request') return errorResult(cause.message)
    if (context.signal.aborted) throw cause
    log.warn({ err: cause, source: name, operation: operation.id }, 'a call to an HTTP API failed')
    return errorResult(`${name} cannot be reached at the moment; try again later`)
  }
}
