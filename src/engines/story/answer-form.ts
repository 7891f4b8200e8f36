import { Failure } from '../../failure/failure.ts'
import type { FunctionDeclaration, GenerateRequest, GenerationConfig } from '../content.ts'
import type { Form } from './messages.ts'
import { textOf } from './prompt.ts'
import { compileSchema } from './schema.ts'
import type { SchemaNode } from './schema-node.ts'

/** A call where one is due, else JSON or a choice where the request says so, else text. */
export function answerForm(request: GenerateRequest): Form {
  const functions = functionsDue(request)
  if (functions.length > 0) return { kind: 'call', functions: functions.map(callable) }
  return textForm(request.generationConfig ?? {})
}

const config = 'GenerateContentRequest.generationConfig'

function textForm({ responseMimeType, responseSchema, responseJsonSchema }: GenerationConfig): Form {
  const name = responseSchema === undefined ? 'responseJsonSchema' : 'responseSchema'
  const schema = responseSchema ?? responseJsonSchema
  if (responseSchema !== undefined && responseJsonSchema !== undefined)
    return refuse(`${config}.responseJsonSchema`, 'must not stand beside responseSchema')
  if (responseMimeType === 'application/json')
    return {
      kind: 'json',
      schema: schema === undefined ? anyJson : compileSchema(schema, `${config}.${name}`),
    }
  if (responseMimeType === 'text/x.enum') return choiceForm(compileSchema(schema, `${config}.${name}`), name)
  if (responseMimeType !== undefined && responseMimeType !== '' && responseMimeType !== 'text/plain')
    return refuse(`${config}.responseMimeType`, 'must be text/plain, application/json or text/x.enum')
  if (schema !== undefined) return refuse(`${config}.${name}`, 'needs responseMimeType application/json')
  return { kind: 'text' }
}

/** What a request for JSON without a schema gets. */
const anyJson: SchemaNode = {
  kind: 'object',
  properties: [{ name: 'text', isRequired: true, node: { kind: 'string', least: 0, most: 10_000 } }],
}

function choiceForm(node: SchemaNode, name: string): Form {
  if (node.kind !== 'choice') return refuse(`${config}.${name}`, 'must have an enum for text/x.enum')
  return { kind: 'choice', texts: node.texts.map(withoutQuotes) }
}

/** A text as itself, and whatever else an enum holds as JSON. */
function withoutQuotes(json: string): string {
  const value: unknown = JSON.parse(json)
  return typeof value === 'string' ? value : json
}

type Named = FunctionDeclaration & { readonly name: string }

/**
 * ANY calls one of the functions it allows. AUTO and VALIDATED call those whose names the last turn of the user spells
 * out: a model of stories cannot tell by itself when a call is due. After a function's response comes text.
 */
function functionsDue({ tools = [], toolConfig, contents }: GenerateRequest): readonly Named[] {
  const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations).map(named)
  const { mode = 'AUTO', allowedFunctionNames = [] } = toolConfig?.functionCallingConfig ?? {}
  const last = contents.at(-1)
  const isAnswered = last?.parts?.some(({ functionResponse }) => functionResponse !== undefined) === true
  const isForced = checkedMode(mode) === 'ANY'
  const allowed = allowedFunctions(declared, allowedFunctionNames)
  if (isForced && allowed.length === 0)
    return refuse('GenerateContentRequest.tools', 'must declare a function for mode ANY')
  if (mode === 'NONE' || isAnswered) return []
  const words = new Set(wordsOf(last === undefined ? '' : textOf(last)))
  const spelled = allowed.filter(({ name }) => words.has(name))
  return isForced && spelled.length === 0 ? allowed : spelled
}

/** As names are spelled, without the marks behind them: a pattern that leaves these out tries each end of each run of them. */
function wordsOf(text: string): readonly string[] {
  return (text.match(/[\w.:-]+/g) ?? []).map((word) => {
    let end = word.length
    while (end > 0 && marks.has(word.charAt(end - 1))) end -= 1
    return word.slice(0, end)
  })
}

const marks: ReadonlySet<string> = new Set('.:-')

function checkedMode(mode: string): string {
  if (['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'].includes(mode)) return mode
  return refuse(`${calling}.mode`, 'must be AUTO, ANY, NONE or VALIDATED')
}

const calling = 'GenerateContentRequest.toolConfig.functionCallingConfig'

function allowedFunctions(declared: readonly Named[], names: readonly string[]): readonly Named[] {
  const [known, wanted] = [new Set(declared.map(({ name }) => name)), new Set(names)]
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined)
    return refuse(`${calling}.allowedFunctionNames`, `names "${unknown}", which is not declared`)
  return names.length === 0 ? declared : declared.filter(({ name }) => wanted.has(name))
}

function named(declaration: FunctionDeclaration): Named {
  const { name = '' } = declaration
  if (/^[A-Za-z_][\w.:-]*$/.test(name)) return { ...declaration, name }
  return refuse(
    'GenerateContentRequest.tools.functionDeclarations.name',
    'must begin with a letter or _ and hold only letters, digits, _ . : -',
  )
}

/** Only a function that is called has its schema read, so that others may use what this model cannot keep to. */
function callable({ name, parameters, parametersJsonSchema }: Named): {
  name: string
  parameters: SchemaNode
} {
  const schema = parameters ?? parametersJsonSchema
  if (schema === undefined) return { name, parameters: { kind: 'object', properties: [] } }
  return { name, parameters: compileSchema(schema, `GenerateContentRequest.tools(${name}).parameters`) }
}

function refuse(field: string, problem: string): never {
  throw new Failure('invalid-request', `${field} ${problem}`, { field })
}
