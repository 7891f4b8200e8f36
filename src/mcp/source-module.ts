import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Failure } from '../failure/failure.ts'
import type { Tool } from './tool.ts'
import type { ToolSource } from './tool-source.ts'

export interface ModuleSourceOptions {
  /** Relative to the directory. */
  readonly path: string
  readonly directory: string
}

/** Tools of the user's own: a file that exports `tools`, a list made with `defineTool`. */
export async function moduleSource({ path, directory }: ModuleSourceOptions): Promise<ToolSource> {
  const refuse = (what: string, cause?: unknown): Failure =>
    new Failure('misconfigured', `tool module ${path}: ${what}`, { cause, field: 'tools.sources' })
  const file = resolve(directory, path)
  const exported = await load(file).catch((cause: unknown) => {
    throw refuse(`it cannot be loaded: ${reasonOf(cause, file)}`, cause)
  })
  if (!Array.isArray(exported))
    throw refuse('it must export a list: export const tools = [defineTool({ … })]')
  const tools = exported.map((item: unknown, index) => {
    if (isTool(item)) return item
    throw refuse(`tools[${index}] was not made with defineTool`)
  })
  return { name: path, tools: () => tools, onChange: () => undefined, close: async () => undefined }
}

async function load(file: string): Promise<unknown> {
  const loaded: unknown = await import(pathToFileURL(file).href)
  return typeof loaded === 'object' && loaded !== null && 'tools' in loaded ? loaded.tools : undefined
}

/** The first line only: Node adds paths and stacks below it. */
function reasonOf(cause: unknown, file: string): string {
  if (!(cause instanceof Error)) return 'it throws'
  const code = 'code' in cause ? cause.code : undefined
  const line = cause.message.split('\n', 1)[0] ?? ''
  return code === 'ERR_MODULE_NOT_FOUND' ? missing(line, file) : `${cause.name}: ${line}`
}

/** Node names what it did not find, and who wanted it, in its message alone. */
function missing(message: string, file: string): string {
  const [, kind, name = '', importer = ''] =
    /^Cannot find (module|package) '(.+?)'(?: imported from (.+))?$/.exec(message) ?? []
  if (name === file) return 'there is no such file'
  if (name.startsWith(ownBuild))
    return 'it imports postern, which is not built in this checkout: run "npm run build" first'
  const by = importer === '' || importer === file ? 'it' : importer
  return kind === 'package'
    ? `${by} imports the package ${name}, which is not installed: run "npm install ${name}" beside it`
    : `${by} imports ${name}, which does not exist`
}

const ownBuild = fileURLToPath(new URL('../../dist/', import.meta.url))

function isTool(value: unknown): value is Tool {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['name', 'listing', 'needs', 'call', 'headerParameters'].every((key) => key in value) &&
    'call' in value &&
    typeof value.call === 'function'
  )
}
