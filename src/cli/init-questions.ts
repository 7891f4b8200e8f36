import { storeComplaint } from '../config/address-rules.ts'
import {
  bareUrlComplaint,
  httpUrlComplaint,
  isLoopback,
  ownIssuerComplaint,
  publicUrlComplaint,
} from '../config/url-rules.ts'
import { listenComplaint } from './init-listen.ts'

/** What was answered so far, by the name of the question. */
export type Answers = Readonly<Record<string, string>>

export interface Question {
  /** Also the name of its option. */
  readonly name: string
  readonly text: string
  readonly placeholder: string
  /** Undefined where nothing can be assumed. */
  readonly usual: (answers: Answers) => string | undefined
  /** Completes "--store …". */
  readonly complaint: (answer: string) => string | undefined
  /** Another answer that it goes with; without one it goes with all. */
  readonly goesWith?: { readonly name: string; readonly answers: readonly string[] }
  /** Not asked, only taken from its option or assumed. */
  readonly isQuiet?: (answers: Answers) => boolean
}

export const engines = ['story', 'gemini', 'vertex', 'openai', 'llama', 'none'] as const
export const toolKinds = ['builtin', 'module', 'mcp', 'openapi', 'none'] as const

/** In this order; what is assumed may follow from the answers before. */
export const questions: readonly Question[] = [
  {
    name: 'public-url',
    text: 'By which URL do clients reach the gateway?',
    placeholder: 'URL',
    usual: () => 'http://127.0.0.1:8080',
    complaint: publicUrlComplaint,
  },
  {
    name: 'listen',
    text: 'Where does it listen itself, behind a proxy that speaks https?',
    placeholder: 'HOST:PORT',
    usual: usualListen,
    complaint: listenComplaint,
    isQuiet: isLocal,
  },
  {
    name: 'store',
    text: 'Which database: sqlite:PATH, or postgres://user:password@host/database?',
    placeholder: 'ADDRESS',
    usual: () => 'sqlite:./data/postern.db',
    complaint: storeComplaint,
  },
  {
    name: 'issuer',
    text: 'Who signs people in: "own" for the authority that comes with Postern, or the URL of your issuer?',
    placeholder: 'own|URL',
    usual: () => 'own',
    complaint: (answer) => (answer === 'own' ? undefined : bareUrlComplaint(answer)),
  },
  {
    name: 'authority-url',
    text: 'By which URL do browsers reach the authority?',
    placeholder: 'URL',
    usual: usualAuthority,
    complaint: ownIssuerComplaint,
    goesWith: { name: 'issuer', answers: ['own'] },
    isQuiet: isLocal,
  },
  {
    name: 'engine',
    text: `Which models: ${engines.join(', ')}?`,
    placeholder: engines.join('|'),
    usual: () => 'story',
    complaint: oneOf(engines),
  },
  {
    name: 'model',
    text: 'What is the model called there?',
    placeholder: 'NAME',
    usual: ({ engine = '' }) => usualModels.get(engine),
    complaint: (answer) =>
      modelName.test(answer) ? undefined : 'must be the name of a model, without spaces',
    goesWith: { name: 'engine', answers: ['gemini', 'vertex', 'openai', 'llama'] },
  },
  {
    name: 'base-url',
    text: 'Where is the server that speaks the OpenAI wire?',
    placeholder: 'URL',
    usual: () => 'http://127.0.0.1:11434/v1',
    complaint: httpUrlComplaint,
    goesWith: { name: 'engine', answers: ['openai'] },
  },
  {
    name: 'project',
    text: 'In which Google Cloud project?',
    placeholder: 'PROJECT',
    usual: () => undefined,
    complaint: notEmpty,
    goesWith: { name: 'engine', answers: ['vertex'] },
  },
  {
    name: 'model-file',
    text: 'Which GGUF file?',
    placeholder: 'FILE',
    usual: () => './models/model.gguf',
    complaint: notEmpty,
    goesWith: { name: 'engine', answers: ['llama'] },
  },
  {
    name: 'tools',
    text: `Which tools first: ${toolKinds.join(', ')}?`,
    placeholder: toolKinds.join('|'),
    usual: () => 'builtin',
    complaint: oneOf(toolKinds),
  },
  {
    name: 'tools-file',
    text: 'In which file are they: a module that exports tools, or an OpenAPI document?',
    placeholder: 'FILE',
    usual: ({ tools }) => (tools === 'module' ? './tools/first.ts' : './openapi.yaml'),
    complaint: notEmpty,
    goesWith: { name: 'tools', answers: ['module', 'openapi'] },
  },
  {
    name: 'tools-url',
    text: 'At which URL: the endpoint of the MCP server, or where the HTTP API is called?',
    placeholder: 'URL',
    usual: () => undefined,
    complaint: httpUrlComplaint,
    goesWith: { name: 'tools', answers: ['mcp', 'openapi'] },
  },
]

const usualModels: ReadonlyMap<string, string> = new Map([
  ['gemini', 'gemini-3.5-flash'],
  ['vertex', 'gemini-3.5-flash'],
  ['openai', 'qwen3'],
  ['llama', 'local'],
])

const modelName = /^[A-Za-z0-9][\w.:/-]{0,127}$/

/** Plain http is for one machine: then everything follows from that URL. */
function isLocal({ 'public-url': url = '' }: Answers): boolean {
  return new URL(url).protocol === 'http:'
}

function usualListen(answers: Answers): string {
  const { 'public-url': url = '' } = answers
  const { hostname, port } = new URL(url)
  return isLocal(answers) && isLoopback(hostname)
    ? `${hostname}:${port === '' ? '80' : port}`
    : '127.0.0.1:8080'
}

/** The usual port, unless the gateway has it. */
function usualAuthority(answers: Answers): string {
  const { 'public-url': url = '', listen = '' } = answers
  if (!isLocal(answers)) return `https://login.${new URL(url).hostname}`
  return `http://127.0.0.1:${listen.endsWith(':8081') ? 8083 : 8081}`
}

function oneOf(choices: readonly string[]): Question['complaint'] {
  return (answer) => (choices.includes(answer) ? undefined : `must be one of ${choices.join(', ')}`)
}

function notEmpty(answer: string): string | undefined {
  return answer.trim() === '' ? 'must not be empty' : undefined
}
