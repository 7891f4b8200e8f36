import { isLoopback } from '../config/url-rules.ts'
import { type ListenPlace, readListen } from './init-listen.ts'
import type { Answers, engines, toolKinds } from './init-questions.ts'

/** The variable that must hold the key of a model elsewhere. */
export const geminiVariable = 'UPSTREAM_GEMINI_API_KEY'

/** The variables that must hold secrets of our own making. */
export function secretVariables({ issuer }: Answers): readonly string[] {
  return issuer === 'own' ? [pagingVariable, authorityVariable] : [pagingVariable]
}

const pagingVariable = 'POSTERN_PAGING_KEY'
const authorityVariable = 'POSTERN_AUTHORITY_SECRET'

/** A `postern.yaml` that says what was answered, and why. */
export function initYaml(answers: Answers): string {
  const isOwn = answers.issuer === 'own'
  return `# yaml-language-server: $schema=./node_modules/postern/schema/postern.schema.json
# The configuration of Postern, written by "postern init". "postern config check" checks it and shows it with every default;
# docs/configuration.md describes every key. A reference such as \${NAME} is the variable of that name, which must be set
# where Postern runs: keep secrets there and not here.

${serverPart(answers)}
# Where keys, sessions and the record of every call are kept.
store: ${text(answers.store)}

# Whose access tokens the gateway accepts. Their audience must be <publicUrl>/mcp for tools, /api for lists, /v1beta for models.
issuers:
  - issuer: ${text(isOwn ? answers['authority-url'] : answers.issuer)}
${isOwn ? '' : existingHints}
# The tools that agents can call. "scopes" says what a token needs for each tool, "*" for all.
tools:
  sources:${toolParts[kindOf(answers.tools, toolParts, 'none')](answers)}
# The models that apps can call.
models:${modelParts[kindOf(answers.engine, modelParts, 'none')](answers)}
# Signs the tokens that lead from page to page. Every instance needs the same.
paging:
  keys:
    - \${${pagingVariable}}
${isOwn ? authorityPart(answers) : ''}`
}

function text(value = ''): string {
  return JSON.stringify(value)
}

function kindOf<Kind extends string>(
  given: string | undefined,
  known: Record<Kind, unknown>,
  other: Kind,
): Kind {
  const isKnown = (name: string): name is Kind => Object.hasOwn(known, name)
  return given !== undefined && isKnown(given) ? given : other
}

const usualPlace: ListenPlace = { host: '127.0.0.1', port: 8080 }

function serverPart({ 'public-url': publicUrl, listen = '' }: Answers): string {
  const { host, port } = readListen(listen) ?? usualPlace
  // The usual port of /metrics may be taken by the gateway itself.
  const ops = port === 8082 ? '  opsPort: 8084 # /metrics, served only here\n' : ''
  return `server:
  host: ${text(host)}
  port: ${port}
${ops}  # The URL that clients use; it is part of what tokens are made out for.
  publicUrl: ${text(publicUrl)}
`
}

const existingHints = `    # An issuer that gives opaque tokens is asked about each:
    # validate: introspection
    # introspection: { url: https://…, clientId: postern, clientSecret: "\${INTROSPECTION_SECRET}" }
    # Some keep the scopes of a token elsewhere:
    # scopeClaim: scp
`

const useTools = '{ "*": ["tools:use"] }'

const toolParts: Record<(typeof toolKinds)[number], (answers: Answers) => string> = {
  builtin: () => `
    - kind: builtin
      scopes:
        echo: ["demo:echo"]
        time: ["demo:time"]
        # Off unless named here, because real models cost money.
        # generate_text: ["demo:generate"]
        # list_models: ["demo:generate"]
`,
  module: ({ 'tools-file': file }) => `
    - kind: module # a file of yours that exports "tools": docs/tool-sources.md has one of ten lines
      path: ${text(file)}
      scopes: ${useTools}
`,
  mcp: ({ 'tools-url': url }) => `
    - kind: mcp
      name: upstream # its tools are called upstream_…
      url: ${text(url)}${privately(url)}
      # What that server wants; the token of a caller is never passed on.
      # credential: "\${UPSTREAM_TOOLS_TOKEN}"
      scopes: ${useTools}
`,
  openapi: ({ 'tools-file': file, 'tools-url': url }) => `
    - kind: openapi
      name: api # its tools are called api_…
      spec: ${text(file)}
      baseUrl: ${text(url)}${privately(url)}
      # What that API wants; the token of a caller is never passed on.
      # credential: "\${UPSTREAM_TOOLS_TOKEN}"
      scopes: ${useTools}
`,
  none: () => ' []\n',
}

/** Only addresses of the public Internet are called over https unless somebody says so. */
function privately(address = ''): string {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' || isLoopback(hostname)
    ? '\n      allowPrivate: true # plain http, or an address that is not of the public Internet'
    : ''
}

const modelParts: Record<(typeof engines)[number], (answers: Answers) => string> = {
  story: () => `
  - name: tiny # the small one that comes with Postern: it tells stories, and needs no network
    engine: story
# Names that clients have built in.
aliases: { "gemini-*": tiny, "*embedding*": tiny }
`,
  gemini: ({ model }) => `
  - name: ${callName(model)}
    engine: gemini
    apiKey: \${${geminiVariable}} # read from the environment
    model: ${text(model)}
`,
  vertex: ({ model, project }) => `
  - name: ${callName(model)}
    engine: vertex # with Application Default Credentials
    project: ${text(project)}
    location: global
    model: ${text(model)}
`,
  openai: ({ model, 'base-url': baseUrl }) => `
  - name: ${callName(model)}
    engine: openai # vLLM, Ollama, llama.cpp and others
    baseUrl: ${text(baseUrl)}
    model: ${text(model)}
    # apiKey: \${UPSTREAM_OPENAI_API_KEY}
`,
  llama: ({ model, 'model-file': file }) => `
  - name: ${callName(model)}
    engine: llama # needs "npm install node-llama-cpp"
    path: ${text(file)}
`,
  none: () => ' []\n',
}

/** Callers cannot write every name that servers have. */
function callName(model = ''): string {
  return text(model.replaceAll(/[^A-Za-z0-9._-]/g, '-'))
}

function authorityPart(answers: Answers): string {
  const { 'authority-url': issuer = '', tools } = answers
  const { protocol, port } = new URL(issuer)
  const own = protocol === 'http:' && port !== '' ? port : '8081'
  const scopes = tools === 'builtin' ? demoScopes : tools === 'none' ? ' {}\n' : useScopes
  return `
# The authorization server, which "postern authority" runs. Add people with "postern authority users add NAME".
authority:
  host: 127.0.0.1
  port: ${own}
  issuer: ${text(issuer)}
  # Seals its signing keys. Whoever loses it has to make new ones.
  secret: \${${authorityVariable}}
  # What people are asked to allow, in plain words.
  scopes:${scopes}`
}

const demoScopes = `
    demo:echo: { description: Hear back what was said }
    demo:time: { description: Tell the time }
`

const useScopes = `
    tools:use: { description: Use the tools }
`
