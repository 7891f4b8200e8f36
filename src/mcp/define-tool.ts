import type { Static, TProperties, TSchema } from 'typebox'
import { Compile, type Validator as CompiledSchema } from 'typebox/compile'
import type { ScopeNeed } from '../auth/scopes.ts'
import { Failure } from '../failure/failure.ts'
import { headerParametersOf } from './header-parameters.ts'
import { inputComplaint, type Validator } from './schema-complaint.ts'
import type { Tool, ToolContext, ToolResult } from './tool.ts'
import { errorResult, isToolResult, structuredResult, textResult } from './tool-result.ts'

export interface ToolAnnotations {
  readonly title?: string
  readonly readOnlyHint?: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

type Answer<Output extends TSchema> = Static<Output> | ToolResult | string

export interface ToolDefinition<Input extends TSchema, Output extends TSchema> {
  /** 1 to 128 letters, digits, `_`, `.` and `-`. */
  readonly name: string
  readonly title?: string
  readonly description: string
  /** What a token must hold: a list means every one of them; an empty one means any valid token. */
  readonly scopes: ScopeNeed | readonly string[]
  /** An object schema. */
  readonly input: Input
  /** What `run` returns is checked against it and sent as structured content. */
  readonly output?: Output
  readonly annotations?: ToolAnnotations
  /** The token must be bound to a key of the caller (RFC 9449). */
  readonly dpop?: boolean
  readonly timeoutSeconds?: number
  /** Capabilities that the client must have, such as `{ sampling: {} }`. */
  readonly requiresCapabilities?: Readonly<Record<string, unknown>>
  readonly run: (input: Static<Input>, context: ToolContext) => Answer<Output> | Promise<Answer<Output>>
}

/** A tool of one's own. Its schemas are compiled here, once; a mistake in them is found here too. */
export function defineTool<Input extends TSchema, Output extends TSchema = TSchema>(
  definition: ToolDefinition<Input, Output>,
): Tool {
  const { name, input, output, run } = definition
  checkDefinition(definition)
  const inputCheck = Compile<Input, CompiledSchema<TProperties, Input, Static<Input>>>(input)
  const finish = output === undefined ? plain(name) : structured(name, Compile(output))
  return {
    name,
    listing: listingOf(definition),
    needs: needOf(definition.scopes),
    headerParameters: headerParametersOf(input),
    requiresDpop: definition.dpop ?? false,
    ...(definition.requiresCapabilities && { requiresCapabilities: definition.requiresCapabilities }),
    ...(definition.timeoutSeconds !== undefined && { timeoutSeconds: definition.timeoutSeconds }),
    call: (given, context) => {
      if (!inputCheck.Check(given)) return errorResult(inputComplaint(name, inputCheck, given))
      const answer = run(given, context)
      return isThenable(answer) ? Promise.resolve(answer).then(finish) : finish(answer)
    },
  }
}

/** Query builders and the like are awaited too: printed, they would show their insides. */
function isThenable<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** 1 to 128 characters, as both eras of the protocol allow. */
export const toolName: RegExp = /^[A-Za-z0-9_.-]{1,128}$/

function checkDefinition({
  name,
  input,
  timeoutSeconds = 1,
}: {
  readonly name: string
  readonly input: TSchema
  readonly timeoutSeconds?: number
}): void {
  if (!toolName.test(name))
    throw new Failure('misconfigured', `a tool is named "${name}"; take 1 to 128 letters, digits, _, . and -`)
  if (Reflect.get(input, 'type') !== 'object')
    throw new Failure('misconfigured', `the input of tool "${name}" must be an object schema`)
  if (!(timeoutSeconds > 0))
    throw new Failure('misconfigured', `the time-out of tool "${name}" must be above 0 seconds`)
}

function listingOf(definition: {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly input: TSchema
  readonly output?: TSchema
  readonly annotations?: ToolAnnotations
}): Tool['listing'] {
  const { name, title, description, input, output, annotations } = definition
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: input,
    ...(output !== undefined && { outputSchema: output }),
    ...(annotations !== undefined && { annotations }),
  }
}

function needOf(scopes: ScopeNeed | readonly string[]): ScopeNeed {
  return 'allOf' in scopes ? scopes : { allOf: scopes, anyOf: [] }
}

function plain(name: string): (answer: unknown) => ToolResult {
  return (answer) => {
    if (typeof answer === 'string') return textResult(answer)
    if (isToolResult(answer)) return answer
    if (answer === undefined) return textResult('')
    const text: string | undefined = JSON.stringify(answer)
    if (text !== undefined) return textResult(text)
    throw new Failure('internal', `tool "${name}" returned a ${typeof answer}, which is not JSON`)
  }
}

function structured(name: string, output: Validator<unknown>): (answer: unknown) => ToolResult {
  const matches = (value: unknown): boolean => output.Check(value)
  return (answer) => {
    if (matches(answer)) return structuredResult(answer)
    if (isToolResult(answer) && (answer.isError || matches(answer.structuredContent))) return answer
    throw new Failure('internal', `the output of tool "${name}" does not match its schema`)
  }
}
