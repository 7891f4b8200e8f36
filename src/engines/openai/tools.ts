import type { FunctionDeclaration, GenerateRequest, ToolConfig } from '../content.ts'
import { fromJsonSchema } from './json-schema.ts'
import { fromGeminiSchema } from './schema.ts'
import { refuseOthers, untranslatable } from './untranslatable.ts'

interface ChatTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: unknown }
}

export interface ToolFields {
  readonly tools?: readonly ChatTool[]
  readonly tool_choice?:
    | 'auto'
    | 'none'
    | 'required'
    | { readonly type: 'function'; readonly function: { readonly name: string } }
}

const root = 'GenerateContentRequest'

/** Functions are the only tools the wire has; the rest is refused by name. */
export function toolFields({ tools = [], toolConfig = {} }: GenerateRequest): ToolFields {
  const declared = tools.flatMap((tool, index) => {
    const path = `${root}.tools[${index}]`
    refuseOthers(tool, path, ['functionDeclarations'])
    return (tool.functionDeclarations ?? []).map((declaration, at) =>
      chatTool(declaration, `${path}.functionDeclarations[${at}]`),
    )
  })
  const { allowed, choice } = choiceOf(toolConfig, declared)
  if (allowed.length === 0) return {}
  return { tools: allowed, ...(choice !== undefined && { tool_choice: choice }) }
}

function chatTool(declaration: FunctionDeclaration, path: string): ChatTool {
  const known = [
    'name',
    'description',
    'parameters',
    'parametersJsonSchema',
    'response',
    'responseJsonSchema',
    'behavior',
  ]
  refuseOthers(declaration, path, known)
  const { name, behavior = 'UNSPECIFIED' } = declaration
  if (!name) throw untranslatable(`${path}.name`, 'must not be empty')
  if (behavior !== 'UNSPECIFIED' && behavior !== 'BLOCKING')
    throw untranslatable(`${path}.behavior`, 'only BLOCKING functions can be called here')
  const description = descriptionOf(declaration, path)
  const parameters = schemaOf(declaration, 'parameters', path)
  return {
    type: 'function',
    function: {
      name,
      ...(description !== '' && { description }),
      ...(parameters !== undefined && { parameters }),
    },
  }
}

/** The wire has no place for what a function returns, so the model reads it in the description. */
function descriptionOf(declaration: FunctionDeclaration, path: string): string {
  const { description = '' } = declaration
  const returned = schemaOf(declaration, 'response', path)
  if (returned === undefined) return description
  return `${description}${description === '' ? '' : '\n'}Returns JSON of this schema: ${JSON.stringify(returned)}`
}

function schemaOf(declaration: FunctionDeclaration, kind: 'parameters' | 'response', path: string): unknown {
  const own = declaration[kind]
  const jsonName = `${kind}JsonSchema` as const
  const json = declaration[jsonName]
  if (own !== undefined && json !== undefined)
    throw untranslatable(`${path}.${jsonName}`, `must not stand beside ${kind}; keep one of the two`)
  if (json !== undefined) return fromJsonSchema(json, `${path}.${jsonName}`)
  return own === undefined ? undefined : fromGeminiSchema(own, `${path}.${kind}`)
}

interface Choice {
  readonly allowed: readonly ChatTool[]
  readonly choice: ToolFields['tool_choice']
}

function choiceOf(toolConfig: ToolConfig, declared: readonly ChatTool[]): Choice {
  refuseOthers(toolConfig, `${root}.toolConfig`, ['functionCallingConfig'])
  const config = toolConfig.functionCallingConfig ?? {}
  const path = `${root}.toolConfig.functionCallingConfig`
  refuseOthers(config, path, ['mode', 'allowedFunctionNames'])
  const { mode = 'MODE_UNSPECIFIED', allowedFunctionNames: names = [] } = config
  if (mode !== 'ANY' && names.length > 0)
    throw untranslatable(`${path}.allowedFunctionNames`, 'goes only with mode ANY')
  if (mode === 'MODE_UNSPECIFIED') return { allowed: declared, choice: undefined }
  if (mode === 'AUTO') return { allowed: declared, choice: 'auto' }
  if (mode === 'NONE') return { allowed: declared, choice: 'none' }
  if (mode !== 'ANY') throw untranslatable(`${path}.mode`, 'must be AUTO, ANY or NONE here')
  if (declared.length === 0)
    throw untranslatable(`${path}.mode`, 'ANY needs functionDeclarations to choose from')
  return anyOf(declared, names, path)
}

/** The wire can force one function by name; of several, only those are sent and one of them is required. */
function anyOf(declared: readonly ChatTool[], names: readonly string[], path: string): Choice {
  const known = new Set(declared.map((tool) => tool.function.name))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw untranslatable(`${path}.allowedFunctionNames`, `no function is named ${JSON.stringify(unknown)}`)
  const [only] = names
  if (only !== undefined && names.length === 1)
    return { allowed: declared, choice: { type: 'function', function: { name: only } } }
  const wanted = new Set(names)
  const allowed = names.length === 0 ? declared : declared.filter((tool) => wanted.has(tool.function.name))
  return { allowed, choice: 'required' }
}
